// Takes from the old rooms one thing at a time.
const create = require("./history.cjs").create; // ⟦ ref history.create import ⟧
const { Bell } = require("./porch.cjs"); // ⟦ ref Bell import ⟧

exports.ring = function () { // ⟦ def lobby.ring ⟧
  const bell = new Bell("side"); // ⟦ call Bell from lobby.ring ⟧
  return create(10).push(bell.ring()); // ⟦ call history.create from lobby.ring ; call History.push from lobby.ring ; call Bell.ring from lobby.ring ⟧
};

module.exports.latest = (count) => require("./history.cjs").create(count).last(1); // ⟦ def lobby.latest ; call history.create from lobby.latest ; call History.last from lobby.latest ⟧
