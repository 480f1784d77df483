import assert from "node:assert";
import { createRequire } from "node:module";
import test from "node:test";

import { run } from "../src/commands.js"; // ⟦ ref commands.run import ⟧
import { QuietRoom, Robot, Room, User } from "../src/rooms/index.js"; // ⟦ ref QuietRoom import ; ref Robot import ; ref Room import ; ref User import ⟧
import { ParseError, banner, parse, parseAll } from "../src/text/index.js"; // ⟦ ref ParseError import ; ref banner import ; ref parse.parse import ; ref parseAll import ⟧

const require = createRequire(import.meta.url);
const { Door, porch } = require("../src/porch.cjs"); // ⟦ ref Door import ; ref porch import ⟧
const old = require("../src/porch.cjs");

function member(room) { // ⟦ def test.member ⟧
  const user = new User("ada"); // ⟦ call User from test.member ⟧
  room.join(user); // ⟦ may Room.join ⟧
  return user;
}

test("a room tells its members", () => {
  const room = new Room("tea"); // ⟦ call Room from - ⟧
  const user = member(room); // ⟦ call test.member from - ⟧
  room.post(user, "hello").leave(user); // ⟦ call Room.post from - ; call Room.leave from - ⟧
  assert.equal(user.inbox.length, 2); // ⟦ ref User.inbox read ⟧
  assert.equal(room.size, 0); // ⟦ ref Room.size read ⟧
});

test("a quiet room does not post loudly", () => {
  const room = new QuietRoom("library"); // ⟦ call QuietRoom from - ⟧
  const robot = new Robot().teach("say", "hush"); // ⟦ call Robot from - ; call Robot.teach from - ⟧
  room.join(robot); // ⟦ call Room.join from - ⟧
  room.post(robot, "HELLO"); // ⟦ call QuietRoom.post from - ⟧
  assert.ok(robot.inbox.includes("hush")); // ⟦ ref User.inbox read ⟧
  robot.receive(room, "once more"); // ⟦ call Robot.receive from - ⟧
});

test("lines are parsed", () => {
  assert.equal(parse("/join tea").name, "join"); // ⟦ call parse.parse from - ⟧
  assert.equal(parseAll("a\nb").length, 2); // ⟦ call parseAll from - ⟧
  assert.throws(() => parse(" "), ParseError); // ⟦ call parse.parse from - ; ref ParseError read ⟧
  assert.ok(banner("parse").includes("parse")); // ⟦ call banner from - ⟧
  assert.equal(run(new User("bob"), "/join den"), 1); // ⟦ call commands.run from - ; call User from - ⟧
});

test("a porch greets", () => {
  assert.equal(porch.greet() + porch.leave(), "o/dingdingfronto/o/"); // ⟦ ref porch read ; call porch.greet from - ; call porch.leave from - ⟧
  const bell = new old.Bell("back"); // ⟦ call Bell from - ⟧
  assert.equal(bell.ring(), "dingdingback"); // ⟦ call Bell.ring from - ⟧
  const { open } = new Door(bell); // ⟦ call Door from - ; may Door.open ⟧
  assert.equal(open(), bell); // ⟦ may Door.open ⟧
});
