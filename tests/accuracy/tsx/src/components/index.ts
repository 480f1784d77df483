export { Button as PushButton } from "./Button"; // ⟦ ref Button import ⟧
export { default as TodoList } from "./TodoList"; // ⟦ ref TodoList import ⟧
