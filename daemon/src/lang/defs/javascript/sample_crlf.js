import { a } from "./a";

/**
 * The way home.
 */
export function home(path) {
  if (path) return a(path);
  return path;
}

export class Road {
  length = 1;
}
