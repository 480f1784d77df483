// The card that shows the source of a box or the calls of an arrow, while a pointer or the keyboard is on it.

const SHOW_DELAY_MS = 180;
// Time to move the pointer from a box into its card.
const HIDE_DELAY_MS = 250;
const DISTANCE = 12;

class Card {
  constructor(element, model) {
    this.element = element;
    this.model = model;
    element.addEventListener("pointerenter", () => clearTimeout(this.timer));
    element.addEventListener("pointerleave", () => this.hideSoon());
  }

  // Shows `target`, {node} or {edge}, beside a rectangle of the window.
  showSoon(target, rectangle) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.show(target, rectangle), SHOW_DELAY_MS);
  }

  hideSoon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.hide(), HIDE_DELAY_MS);
  }

  hide() {
    clearTimeout(this.timer);
    this.element.hidden = true;
  }

  show(target, rectangle) {
    clearTimeout(this.timer);
    this.element.replaceChildren(...(target.node ? aboutNode(this.model, target.node) : aboutEdge(this.model, target.edge)));
    this.element.hidden = false;
    const { offsetWidth: width, offsetHeight: height } = this.element;
    // Below or above: neighbours in the graph stand at the sides.
    let { left } = rectangle;
    let top = rectangle.bottom + DISTANCE;
    if (top + height > innerHeight) top = rectangle.top - DISTANCE - height;
    if (top < 0) {
      top = rectangle.top;
      left = rectangle.right + DISTANCE;
      if (left + width > innerWidth) left = rectangle.left - DISTANCE - width;
    }
    this.element.style.left = `${Math.max(DISTANCE, Math.min(left, innerWidth - width - DISTANCE))}px`;
    this.element.style.top = `${Math.max(DISTANCE, Math.min(top, innerHeight - height - DISTANCE))}px`;
  }
}

// Returns what is known of a node: its kind, name, place, documentation and source.
function aboutNode(model, node) {
  const heading = htmlElement("h2", {}, htmlElement("span", { class: "kind" }, node.kind), ` ${node.name}`);
  if (node.is_test) heading.append(" ", htmlElement("span", { class: "tag" }, "test"));
  const parts = [heading, htmlElement("p", { class: "place" }, placeOf(node))];
  if (node.detail) parts.push(htmlElement("p", {}, node.detail));
  if (model.source(node).length > 0) {
    const calls = new Set(model.kind === "map" ? [] : model.outgoing[node.id].flatMap((edge) => edge.lines));
    parts.push(sourceBlock(model, node, calls));
  } else if (node.signature) {
    parts.push(htmlElement("pre", {}, node.signature));
  }
  return parts;
}

// Returns who calls whom, how sure that is, and the lines of the calls.
function aboutEdge(model, edge) {
  const [from, to] = [model.nodes[edge.from], model.nodes[edge.to]];
  const heading = htmlElement("h2", {}, `${from.name} → ${to.name}`);
  const words = [CERTAINTY[edge.resolution]];
  if (edge.is_cycle) words.push("closes a cycle of calls");
  const lines = edge.lines.join(", ");
  const place = htmlElement("p", { class: "place" }, `${from.path}: line ${lines}`);
  const called = new Set(edge.lines);
  const source = model.source(from).filter((line) => called.has(line.number));
  const parts = [heading, htmlElement("p", {}, words.join("; ")), place];
  if (source.length > 0) parts.push(linesBlock(source, called));
  return parts;
}

const CERTAINTY = {
  resolved: "Resolved: one target, by scope, import or type",
  ambiguous: "Ambiguous: one of several candidates",
  name_only: "Name only: nothing but the name is known",
};

// Returns a node's source; `marked` lines stand out. The number of lines that the page does not have is shown.
function sourceBlock(model, node, marked) {
  const lines = model.source(node);
  const block = linesBlock(lines, marked);
  const missing = node.end_line - node.start_line + 1 - lines.length;
  if (missing > 0) {
    block.append(htmlElement("span", { class: "missing" }, missing === 1 ? "1 more line" : `${missing} more lines`));
  }
  return block;
}

function linesBlock(lines, marked) {
  const rows = lines.map(({ number, text }) =>
    htmlElement(
      "span",
      { class: marked.has(number) ? "line call" : "line" },
      htmlElement("span", { class: "number" }, String(number).padStart(4)),
      ` ${text}\n`,
    ),
  );
  return htmlElement("pre", { class: "source" }, ...rows);
}

function htmlElement(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}
