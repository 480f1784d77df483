#!/usr/bin/env node
'use strict';

/*!
 * What the module is for.
 */
var util = require('util'), path = require('path');
const { join, resolve: absolute } = require('path');
require('side-effect');
import base, { a as b } from './m.js';
import * as ns from 'n';
export { x, y as z } from './r.js';
export * from './all.js';

/**
 * How many there may be.
 * @type {number}
 */
export const LIMIT = 10, other = 2;
let counter = 0;
var app = exports = module.exports = {};

// A thing
// with an area.
export class Shape extends ns.Base {
  static #count = 0;
  sides = 3;
  handler = async event => { this.#log(event); };
  static { Shape.#count = 1; }

  constructor(sides = 3, ...rest) {
    super(rest);
    this.sides = sides;
    this.reset = function () { this.sides = 0; };
  }

  get size() { return this.sides || 1; }
  set size(value) { this.sides = value; }
  static async *walk() { yield* ns.walk(); }
  #log(event) { Shape.#count++; }
  ['computed' + 1]() {}
}

class Square extends Shape {}

/** Old style. */
function Circle(radius) {
  if (!(this instanceof Circle)) return new Circle(radius);
  this.radius = radius;
}
util.inherits(Circle, Shape);
Circle.prototype.area = function area() { return Math.PI * this.radius ** 2; };
Circle.of = radius => new Circle(radius);

app.init = function init({ deep, list: [first, ...others] }, callback) {
  function nested() {
    for (const key in deep) if (key && deep[key]) return key ?? first;
  }
  const inner = n => n > 2 ? true : false;
  try {
    while (counter < 3) counter += 1;
  } catch ({ message }) {
    switch (message) {
      case 'a':
      case 'b': break;
      default: throw new Error(message);
    }
  }
  others.forEach(function each(item) { item?.run?.(); });
  return function done() { callback(nested(), inner(1)); };
};

exports.flag = true;
exports.find = function (name) { return name; };
module.exports.later = async () => import('./later.js');
module.exports = function create() { return app; };

const größe = {
  open() { return LIMIT; },
  get state() { return counter; },
  close: function () { },
  'on-error': e => console.error(e),
  LIMIT,
};

const view = (props) => <View.Box {...props}><Item key={props.id} /><b>{props.text}</b></View.Box>;

(function () {
	const local = 1;
	function inside() { return local; }
})();

export default function* () { yield LIMIT; }

app.views.list = function () { return app.views; };
util.fn.deep.walk = (from) => // where it begins
  from.next;
