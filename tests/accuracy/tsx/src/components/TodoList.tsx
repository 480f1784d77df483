import { h, type Child } from "../jsx"; // ⟦ ref Child import ⟧
import type { Todo } from "../state/store"; // ⟦ ref Todo import ⟧

interface ListProps { // ⟦ def TodoList.ListProps ⟧
  todos: readonly Todo[]; // ⟦ def ListProps.todos ; ref Todo type ⟧
  title?: string; // ⟦ def ListProps.title ⟧
  children?: Child; // ⟦ def ListProps.children ; ref Child type ⟧
}

function Row({ todo }: { todo: Todo }) { // ⟦ def Row ; ref Todo type ⟧
  const { title, done } = todo; // ⟦ ref Todo.title read ; ref Todo.done read ⟧
  return <li>{done ? `${title} (done)` : title}</li>;
}

export default function TodoList(props: ListProps) { // ⟦ def TodoList ; ref TodoList.ListProps type ⟧
  return (
    <section>
      <h1>{props.title ?? "TodoList"}</h1> // ⟦ ref ListProps.title read ⟧
      <ul>{props.todos.map((todo) => <Row todo={todo} />)}</ul> // ⟦ ref ListProps.todos read ; call Row from TodoList ⟧
      {props.children ?? false} // ⟦ ref ListProps.children read ⟧
    </section>
  );
}
