export interface Todo { // ⟦ def Todo ⟧
  title: string; // ⟦ def Todo.title ⟧
  done: boolean; // ⟦ def Todo.done ⟧
}

export class Store<T> { // ⟦ def Store ⟧
  private items: T[] = []; // ⟦ def Store.items ⟧

  add(item: T): this { // ⟦ def Store.add ⟧
    this.items.push(item); // ⟦ ref Store.items read ⟧
    return this;
  }

  all(): readonly T[] { // ⟦ def Store.all ⟧
    return this.items; // ⟦ ref Store.items read ⟧
  }
}

export function useTodos(store: Store<Todo>) { // ⟦ def useTodos ; ref Store type ; ref Todo type ⟧
  const open = store.all().filter((todo) => !todo.done); // ⟦ call Store.all from useTodos ; ref Todo.done read ⟧

  function add(title: string): void { // ⟦ def useTodos.add ⟧
    store.add({ title, done: false }); // ⟦ call Store.add from useTodos.add ; ref Todo.title write ; ref Todo.done write ⟧
  }

  return { open, add }; // ⟦ ref useTodos.add read ⟧
}
