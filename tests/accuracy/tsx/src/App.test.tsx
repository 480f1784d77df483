import { App } from "./App"; // ⟦ ref App import ⟧
import { Button, type ButtonProps } from "./components/Button"; // ⟦ ref Button import ; ref ButtonProps import ⟧
import { h, render } from "./jsx"; // ⟦ ref render import ⟧
import { Store, type Todo } from "./state/store"; // ⟦ ref Store import ; ref Todo import ⟧

function expectText(actual: string, part: string): void { // ⟦ def expectText ⟧
  if (!actual.includes(part)) {
    throw new Error(`${part} is not in ${actual}`);
  }
}

export function showsWhatIsOpen() { // ⟦ def showsWhatIsOpen ⟧
  const store = new Store<Todo>().add({ title: "Button up", done: false }); // ⟦ call Store from showsWhatIsOpen ; ref Todo type ; call Store.add from showsWhatIsOpen ; ref Todo.title write ; ref Todo.done write ⟧
  expectText(render(<App store={store} />), "Button up"); // ⟦ call expectText from showsWhatIsOpen ; call render from showsWhatIsOpen ; call App from showsWhatIsOpen ; ref AppProps.store write ⟧
}

export function showsItsLabel() { // ⟦ def showsItsLabel ⟧
  const props: ButtonProps = { label: "add" }; // ⟦ ref ButtonProps type ; ref ButtonProps.label write ⟧
  expectText(render(<Button {...props} />), props.label); // ⟦ call expectText from showsItsLabel ; call render from showsItsLabel ; call Button from showsItsLabel ; ref ButtonProps.label read ⟧
}

[showsWhatIsOpen, showsItsLabel].forEach((check) => check()); // ⟦ ref showsWhatIsOpen read ; ref showsItsLabel read ⟧
