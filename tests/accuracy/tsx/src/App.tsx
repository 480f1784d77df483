import { PushButton, TodoList } from "./components"; // ⟦ ref Button import ; ref TodoList import ⟧
import { h } from "./jsx";
import { type Store, type Todo, useTodos as useAll } from "./state/store"; // ⟦ ref Store import ; ref Todo import ; ref useTodos import ⟧

interface AppProps { // ⟦ def AppProps ⟧
  store: Store<Todo>; // ⟦ def AppProps.store ; ref Store type ; ref Todo type ⟧
}

export function App({ store }: AppProps) { // ⟦ def App ; ref AppProps type ; ref AppProps.store read ⟧
  const { open, add } = useAll(store); // ⟦ call useTodos from App ; may useTodos.add ⟧

  function addTea() { // ⟦ def App.addTea ⟧
    add("tea"); // ⟦ may useTodos.add ⟧
  }

  return (
    <TodoList todos={open} title="Today"> // ⟦ call TodoList from App ; ref ListProps.todos write ; ref ListProps.title write ⟧
      <PushButton label="add" onPress={addTea} /> // ⟦ call Button from App ; ref ButtonProps.label write ; ref ButtonProps.onPress write ; ref App.addTea read ⟧
    </TodoList> // ⟦ may TodoList ⟧
  );
}
