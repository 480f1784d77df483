import { a } from "./a";

/**
 * The way home.
 */
export function home(path: string): string {
  if (path) return a(path);
  return path;
}

export class Road {
  length = 1;
}
