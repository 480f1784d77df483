import { a } from "./a";

/**
 * The way home.
 */
export function home(path: string): JSX.Element {
  if (path) return a(path);
  return <Path to={path} />;
}

export class Road {
  length = 1;
}
