/** Anything that knows the time. Use `now` of the clock that was handed in, not of Date. */
export interface Clock { // ⟦ def Clock ⟧
  now(): number; // ⟦ def Clock.now ⟧
}

export class SystemClock implements Clock { // ⟦ def SystemClock ; impl SystemClock of Clock ; ref Clock type ⟧
  now(): number { // ⟦ def SystemClock.now ; impl SystemClock.now of Clock.now ⟧
    return Date.now();
  }
}

export class FixedClock implements Clock { // ⟦ def FixedClock ; impl FixedClock of Clock ; ref Clock type ⟧
  private time = 0; // ⟦ def FixedClock.time ⟧

  now(): number { // ⟦ def FixedClock.now ; impl FixedClock.now of Clock.now ⟧
    return this.time; // ⟦ ref FixedClock.time read ⟧
  }

  advance(by: number): this { // ⟦ def FixedClock.advance ⟧
    this.time += by; // ⟦ ref FixedClock.time write ⟧
    return this;
  }

  static at(time: number): FixedClock { // ⟦ def FixedClock.at ; ref FixedClock type ⟧
    return new FixedClock().advance(time); // ⟦ call FixedClock from FixedClock.at ; call FixedClock.advance from FixedClock.at ⟧
  }
}
