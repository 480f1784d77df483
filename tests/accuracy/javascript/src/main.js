import { session } from "./commands.js"; // ⟦ ref session import ⟧
import { Room, createUser } from "./rooms/index.js"; // ⟦ ref Room import ; ref users.create import ⟧
import banner from "./text/format.js"; // ⟦ ref banner import ⟧

const show = (lines) => lines.forEach((line) => console.log(line)); // ⟦ def main.show ⟧

console.log(banner("session of the day")); // ⟦ call banner from - ⟧
session("ada", ["/join tea", "hello"]).then(show); // ⟦ call session from - ; ref main.show read ⟧

const room = new Room("tea"); // ⟦ call Room from - ⟧
room.join(createUser("bob")).post({ name: "ada" }, "hi"); // ⟦ call Room.join from - ; call users.create from - ; call Room.post from - ⟧
show(room.transcript()); // ⟦ call main.show from - ; call Room.transcript from - ⟧
