export { QuietRoom, Room } from "./room.js"; // ⟦ ref QuietRoom import ; ref Room import ⟧
export { User, Robot, create as createUser } from "./users.js"; // ⟦ ref User import ; ref Robot import ; ref users.create import ⟧
