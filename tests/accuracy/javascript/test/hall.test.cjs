const assert = require("node:assert");
const test = require("node:test");

const show = require("../src/hall/guide.cjs"); // ⟦ ref guide.tour import ⟧

test("one guest", () => {
  function guest() { // ⟦ def one.guest ⟧
    return "ada";
  }
  const shown = show(guest()); // ⟦ call guide.tour from - ; call one.guest from - ⟧
  assert.equal(shown.steps, undefined);
});

test("another guest", () => {
  function guest() { // ⟦ def other.guest ⟧
    return "eve";
  }
  assert.equal(show(guest()), "eve"); // ⟦ call guide.tour from - ; call other.guest from - ⟧
  assert.equal(show.steps(), 3); // ⟦ call guide.steps from - ; may guide.tour ⟧
});
