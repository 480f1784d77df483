import { a } from "./a";

export class Before {
  works() {
    return a();
  }
}

function broken(x, y) {
  const value = x + * y;
  return helper(value;
}

export class After extends Before {
  works() {
    if (this.x) return helper(this);
  }
}

export const last = () => new After();
