/** An interface, a value and a namespace of one name are one thing. */
export interface Badge { // ⟦ def Badge ⟧
  readonly label: string; // ⟦ def Badge.label ⟧
  worn(by: string): Badge; // ⟦ def Badge.worn ; ref Badge type ⟧
}

export const Badge = (label: string): Badge => ({ label, worn: () => Badge(label) }); // ⟦ may Badge, Badge.label, Badge.worn ⟧

export namespace Badge { // ⟦ may Badge ⟧
  export interface Style { // ⟦ def Badge.Style ⟧
    colour: string; // ⟦ def Style.colour ⟧
  }
}

export const paint = (badge: Badge, style: Badge.Style): string => // ⟦ def paint ; ref Badge ; ref Badge.Style type ⟧
  badge.label + style.colour; // ⟦ ref Badge.label read ; ref Style.colour read ⟧

/** Gives itself, so that one line follows another. */
export class Board { // ⟦ def Board ⟧
  static open = (size?: number): Board => { // ⟦ def Board.open ; ref Board type ⟧
    return new Board(); // ⟦ call Board from Board.open ⟧
  };

  pin(badge: Badge, options?: { where: string; firmly: boolean }): this { // ⟦ def Board.pin ; ref Badge type ⟧
    return this;
  }

  count(): number { // ⟦ def Board.count ⟧
    return 0;
  }
}
