// Shows guests around. The module is the function itself.
const Entrance = require("../.."); // ⟦ ref Hall import ⟧

module.exports = (guest) => { // ⟦ def guide.tour name=exports ⟧
  const hall = new Entrance(); // ⟦ call Hall from guide.tour ⟧
  return hall.enter(guest); // ⟦ call Hall.enter from guide.tour ⟧
};

module.exports.steps = () => 3; // ⟦ def guide.steps ⟧
