// Older still: what was made before there were classes.
function Bell(name) { // ⟦ def Bell ⟧
  this.name = name;
}

Bell.prototype.ring = function () { // ⟦ def Bell.ring ; ref Bell ⟧
  return this.sound(2) + this.name; // ⟦ call Bell.sound from Bell.ring ; may User.name, Room.name ⟧
};

Bell.prototype.sound = function (times) { // ⟦ def Bell.sound ; ref Bell ⟧
  return "ding".repeat(times);
};

class Door { // ⟦ def Door ⟧
  constructor(bell) { // ⟦ def Door.constructor ⟧
    this.open = this.open.bind(this); // ⟦ ref Door.open ⟧
    this.bell = bell; // ⟦ def Door.bell ⟧
  }

  open() { // ⟦ def Door.open ⟧
    return this.bell; // ⟦ ref Door.bell read ⟧
  }
}

const porch = { // ⟦ def porch ⟧
  greet() { // ⟦ def porch.greet ⟧
    return porch.wave(1) + new Bell("front").ring(); // ⟦ ref porch read ; call porch.wave from porch.greet ; call Bell from porch.greet ; call Bell.ring from porch.greet ⟧
  },
  wave: (hands) => "o/".repeat(hands), // ⟦ def porch.wave ⟧
  leave: function () { // ⟦ def porch.leave ⟧
    return this.wave(2); // ⟦ call porch.wave from porch.leave ⟧
  },
};

module.exports = { Bell, Door, porch }; // ⟦ ref Bell ; ref Door ; ref porch ⟧
