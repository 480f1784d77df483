export type Child = Element | string | number | false | Child[]; // ⟦ def Child ; ref Child type ; ref Element type ⟧

export interface Element { // ⟦ def Element ⟧
  tag: string; // ⟦ def Element.tag ⟧
  children: Child[]; // ⟦ def Element.children ; ref Child type ⟧
}

type Component = (props: any) => Element; // ⟦ def Component ; ref Element type ⟧

declare global {
  namespace JSX {
    type Element = import("./jsx").Element; // ⟦ def JSX.Element ; ref Element type ⟧
    interface ElementChildrenAttribute {
      children: {};
    }
    interface IntrinsicElements {
      [tag: string]: any;
    }
  }
}

export function h(tag: string | Component, props: object | null, ...children: Child[]): Element { // ⟦ ref Component type ; ref Child type ; ref Element type ⟧
  return typeof tag === "string" ? { tag, children } : tag({ ...props, children }); // ⟦ ref Element.tag write ; ref Element.children write ⟧
}

export function render(node: Child): string { // ⟦ def render ; ref Child type ⟧
  if (Array.isArray(node)) {
    return node.map(render).join(""); // ⟦ ref render read ⟧
  }
  if (typeof node !== "object") {
    return node === false ? "" : String(node);
  }
  return `<${node.tag}>${render(node.children)}</${node.tag}>`; // ⟦ ref Element.tag read ; call render from render ; ref Element.children read ⟧
}
