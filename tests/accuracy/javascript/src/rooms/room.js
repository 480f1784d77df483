import { createRequire } from "node:module";
import { format } from "../text/index.js"; // ⟦ ref format.format import ⟧

const require = createRequire(import.meta.url);
const { History } = require("../history.cjs"); // ⟦ ref History import ⟧

export class Room { // ⟦ def Room ⟧
  static opened = 0; // ⟦ def Room.opened ⟧
  #members = new Set(); // ⟦ def Room.#members ⟧

  constructor(name) { // ⟦ def Room.constructor ⟧
    this.name = name; // ⟦ def Room.name ⟧
    this.history = new History(20); // ⟦ def Room.history ; call History from Room.constructor ⟧
    Room.opened += 1; // ⟦ ref Room read ; ref Room.opened write ⟧
  }

  get size() { // ⟦ def Room.size ⟧
    return this.#members.size; // ⟦ ref Room.#members read ⟧
  }

  join(user) { // ⟦ def Room.join ⟧
    this.#members.add(user); // ⟦ ref Room.#members read ⟧
    return this.post(user, "joins"); // ⟦ call Room.post from Room.join ; may QuietRoom.post ⟧
  }

  leave(user) { // ⟦ def Room.leave ⟧
    this.#members.delete(user); // ⟦ ref Room.#members read ⟧
    return this.post(user, "leaves"); // ⟦ call Room.post from Room.leave ; may QuietRoom.post ⟧
  }

  post(user, text) { // ⟦ def Room.post ⟧
    this.history.push({ author: user.name, text }); // ⟦ ref Room.history read ; call History.push from Room.post ; may User.name ⟧
    this.#members.forEach((member) => member.receive(this, text)); // ⟦ ref Room.#members read ; may User.receive, Robot.receive ⟧
    return this;
  }

  transcript() { // ⟦ def Room.transcript ⟧
    return this.history.last(10).map((entry) => format(entry)); // ⟦ ref Room.history read ; call History.last from Room.transcript ; call format.format from Room.transcript ⟧
  }

  copy() { // ⟦ def Room.copy ⟧
    return new this.constructor(this.name); // ⟦ call Room from Room.copy ; ref Room.name read ⟧
  }

  static lobby() { // ⟦ def Room.lobby ⟧
    const made = new this("lobby"); // ⟦ call Room from Room.lobby ⟧
    return made.copy(); // ⟦ call Room.copy from Room.lobby ⟧
  }

  static create(name) { // ⟦ def Room.create ⟧
    return new Room(name); // ⟦ call Room from Room.create ⟧
  }
}

export class QuietRoom extends Room { // ⟦ def QuietRoom ; impl QuietRoom of Room ; ref Room type ⟧
  post(user, text) { // ⟦ def QuietRoom.post ; impl QuietRoom.post of Room.post ⟧
    return super.post(user, text.toLowerCase()); // ⟦ call Room.post from QuietRoom.post ⟧
  }
}
