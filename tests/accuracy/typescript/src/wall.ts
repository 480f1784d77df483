import { badges } from "./model/everything";

export function hang(): number { // ⟦ def hang ⟧
  const board = badges.Board.open(3); // ⟦ ref Board read ; call Board.open from hang ⟧
  return board
    .pin(badges.Badge("first of all the badges"), { where: "at the top of the wall", firmly: true }) // ⟦ call Board.pin from hang ; call Badge from hang ⟧
    .pin(badges.Badge("second"), { // ⟦ call Board.pin from hang ; call Badge from hang ⟧
      where: "below",
      firmly: false,
    })
    .count(); // ⟦ call Board.count from hang ⟧
}

export const shown = (badge: badges.Badge): string => badge.worn("ada").label; // ⟦ def shown ; ref Badge type ; call Badge.worn from shown ; ref Badge.label read ⟧
