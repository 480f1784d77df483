import { QuietRoom, Room, User } from "./rooms/index.js"; // ⟦ ref QuietRoom import ; ref Room import ; ref User import ⟧
import * as text from "./text/index.js";

const rooms = new Map(); // ⟦ def commands.rooms ⟧

export function find(name) { // ⟦ def commands.find ⟧
  if (!rooms.has(name)) { // ⟦ ref commands.rooms read ⟧
    const room = name.startsWith("quiet") ? new QuietRoom(name) : Room.create(name); // ⟦ call QuietRoom from commands.find ; ref Room read ; call Room.create from commands.find ⟧
    rooms.set(name, room); // ⟦ ref commands.rooms read ⟧
  }
  return rooms.get(name); // ⟦ ref commands.rooms read ⟧
}

function join(user, rest) { // ⟦ def commands.join ⟧
  return find(rest).join(user).size; // ⟦ call commands.find from commands.join ; may Room.join, Room.size ⟧
}

function say(user, rest) { // ⟦ def commands.say ⟧
  return find("lobby").post(user, rest); // ⟦ call commands.find from commands.say ; may Room.post, QuietRoom.post ⟧
}

const handlers = { join, say, help: () => Object.keys(handlers).join(", ") }; // ⟦ def commands.handlers ; ref commands.handlers read ; ref commands.join read ; ref commands.say read ⟧

export function run(user, line) { // ⟦ def commands.run ⟧
  const { name, rest } = text.parse(line); // ⟦ call parse.parse from commands.run ⟧
  const handler = handlers[name] ?? handlers.say; // ⟦ ref commands.handlers read ; may commands.say ⟧
  return handler(user, rest);
}

export async function session(name, lines) { // ⟦ def session ⟧
  const user = new User(name); // ⟦ call User from session ⟧
  for (const line of lines) {
    run(user, line); // ⟦ call commands.run from session ⟧
  }
  return user.inbox; // ⟦ ref User.inbox read ⟧
}
