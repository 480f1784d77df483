import { strong } from "../text/index.js"; // ⟦ ref bold import ⟧
import { parse as understand, ParseError } from "../text/parse.js"; // ⟦ ref parse.parse import ; ref ParseError import ⟧

export class User { // ⟦ def User ⟧
  constructor(name) { // ⟦ def User.constructor ⟧
    this.name = name; // ⟦ def User.name ⟧
    this.inbox = []; // ⟦ def User.inbox ⟧
  }

  receive(room, text) { // ⟦ def User.receive ⟧
    this.inbox.push(`${strong(room.name)} ${text}`); // ⟦ ref User.inbox read ; call bold from User.receive ; may Room.name ⟧
  }
}

export class Robot extends User { // ⟦ def Robot ; impl Robot of User ; ref User type ⟧
  constructor() { // ⟦ def Robot.constructor ⟧
    super("robot"); // ⟦ call User from Robot.constructor ⟧
    this.answers = new Map(); // ⟦ def Robot.answers ⟧
  }

  teach(word, answer) { // ⟦ def Robot.teach ⟧
    this.answers.set(word, answer); // ⟦ ref Robot.answers read ⟧
    return this;
  }

  receive(room, text) { // ⟦ def Robot.receive ; impl Robot.receive of User.receive ⟧
    super.receive(room, text); // ⟦ call User.receive from Robot.receive ⟧
    try {
      const { name } = understand(text); // ⟦ call parse.parse from Robot.receive ⟧
      const answer = this.answers.get(name); // ⟦ ref Robot.answers read ⟧
      if (answer) {
        this.inbox.push(answer); // ⟦ ref User.inbox read ⟧
      }
    } catch (error) {
      if (!(error instanceof ParseError)) throw error; // ⟦ ref ParseError read ⟧
    }
  }
}

export function create(name) { // ⟦ def users.create ⟧
  return name === "robot" ? new Robot() : new User(name); // ⟦ call Robot from users.create ; call User from users.create ⟧
}
