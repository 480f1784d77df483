/* What the module is for. */
import base, { a as b, type C } from "./m";
import * as ns from 'n';
import type { T } from "t";
import "side";
import fs = require("fs");
import Inner = ns.Inner;
export { x, y as z } from "./r";
export * from "./all";
export * as all from "./all2";
export { b, limit as most };

/** How many there may be. */
export const LIMIT = 10, other: number = 2;
const limit = LIMIT;
let counter = 0;
var old: string, older;
const { left, right: [first, ...rest] } = ns.sides();
declare const VERSION: string;

/**
 * A thing with an area.
 * @template K of it
 */
@Injectable()
export abstract class Shape<K extends object = {}> extends geo.Base<K> implements Sized, Named<K> {
  static #count = 0;
  protected readonly sides: number;
  private name?: string = "none";
  @Input() colour!: Colour;
  handler = async (event: Event) => { this.#log(event) };

  // Makes one.
  constructor(private readonly service: Service, public sides: number, plain?: string) {
    super();
    this.sides = sides;
  }

  get size(): number { return this.sides || 1; }
  set size(value) { this.sides = value; }
  private static async *walk(): AsyncGenerator<K> { yield* ns.walk(); }
  protected abstract area(): number;
  abstract accept(visitor: Visitor): void;
  #log(event?: Event): void { Shape.#count++; }
  [Symbol.iterator]() { return this.walk(); }
  public "quoted name"() {}
}

export default class extends Shape {}

/** First. */
function parse(text: string): number;
function parse(text: Buffer): number;
function parse(text: any): number {
  const LOCAL = new Map<string, C>();
  const inner = (n: number): n is 3 => n > 2 ? true : false;
  function nested() {
    for (const [i, j] of text) if (i && j) return i ?? j;
  }
  try {
    while (counter < 3) counter += 1;
  } catch (error) {
    switch (error.code) {
      case 1:
      case 2: break;
      default: throw new ns.Failure(error as Error);
    }
  }
  items.forEach(function each(item) { item?.run?.(); });
  return LOCAL.get(text)!.size;
}

export interface Visitor<R = void> extends Base, ns.Other<R> {
  (node: Node): R;
  new (name: string): Visitor<R>;
  visit?(node: Node): R;
  readonly depth: number;
  [key: string]: unknown;
}

export type Pair<A> = [A, A];
type Options = { deep: boolean; load(path: string): Promise<C> };
type Keys = keyof Options["deep"] | typeof limit;

export const enum Colour { Red, Green = 1 << 2, "Blue" }

namespace Geo.Flat {
  export const origin = { x: 0, y: 0 };
  export function distance(to: typeof origin): number { return to.x; }
}

declare module "plugin" {
  export function install(app: App): void;
}
declare global { interface Window { größe: number } }

const handlers = {
  open() { return limit; },
  get state() { return counter; },
  close: function () { limit; },
  "on-error": (e: Error) => console.error(e),
  limit,
};

export const run = async <T,>(task: () => Promise<T>, { retries = 3 }: RunOptions = {}): Promise<T> => {
	do { retries--; } while (retries);
	return await task();
};
const Anonymous = class extends Shape {}, twice = function* (n: number) { yield n; };
const lazy = await import("./lazy");
module.exports.later = () => import("./later");
exports.flag = true;
Shape.prototype.draw = function draw(this: Shape) { return tag`x ${counter}`; };
describe("parse", () => {
  const local = 1;
  it("works", () => { const deep = () => parse("1"); });
});
const routes = {
  home: () => "/",
  "by-id": function (id: number) { return id; },
} as const;
const checks = { positive: (n: number) => n > 0 } satisfies Record<string, Check>;
const both = { first: () => 1 } as const satisfies Checks;
