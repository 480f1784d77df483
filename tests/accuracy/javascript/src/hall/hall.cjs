// The room that every guest enters first.
class Hall { // ⟦ def Hall ⟧
  enter(guest) { // ⟦ def Hall.enter ⟧
    return guest;
  }
}

exports = module.exports = Hall; // ⟦ ref Hall ⟧
