// The list beside the picture: everything that was sent along, with its source and its neighbours. It needs no picture.

const LIST_TITLES = {
  calls: { start: "Asked about", caller: "Callers", callee: "Callees", other: "Others" },
  map: { start: "Mapped", callee: "Contents" },
};
const NEIGHBOUR_TITLES = { calls: ["Calls", "Called by"], map: ["Contains", "In"] };

class List {
  // `actions` has the handlers for an item: show(id), copy(id).
  constructor(element, model, actions) {
    this.element = element;
    this.model = model;
    this.actions = actions;
    this.items = new Map();
    const groups = Object.entries(LIST_TITLES[model.kind]).map(([side, title]) => {
      const nodes = model.nodes.filter((node) => model.sides[node.id] === side);
      nodes.sort((one, other) => model.distances[one.id] - model.distances[other.id] || one.id - other.id);
      return this.newGroup(title, model.kind === "map" ? nodes.sort((one, other) => one.id - other.id) : nodes);
    });
    element.replaceChildren(...groups.filter(Boolean));
  }

  newGroup(title, nodes) {
    if (nodes.length === 0) return undefined;
    const count = htmlElement("span", { class: "count" }, String(nodes.length));
    const items = htmlElement("ul", {}, ...nodes.map((node) => this.newItem(node)));
    return htmlElement("section", {}, htmlElement("h2", {}, title, " ", count), items);
  }

  newItem(node) {
    const swatch = htmlElement("span", { class: "swatch", "aria-hidden": "true" });
    const name = htmlElement("span", { class: "name" }, node.name);
    const kind = htmlElement("span", { class: "kind" }, node.kind);
    const summary = htmlElement("summary", {}, swatch, name, " ", kind);
    if (node.is_test) summary.append(" ", htmlElement("span", { class: "tag" }, "test"));
    const details = htmlElement("details", {}, summary);
    const item = htmlElement("li", { "data-id": node.id }, details);
    if (this.model.kind === "map") item.style.setProperty("--level", Math.min(this.model.distances[node.id], 8));
    item.append(this.placeLink(node));
    details.addEventListener("toggle", () => {
      if (!details.open) return;
      // Made when it is needed: most items are never opened.
      if (details.children.length === 1) details.append(this.body(node));
      this.actions.show(node.id);
    });
    this.items.set(node.id, item);
    return item;
  }

  placeLink(node) {
    const place = placeOf(node);
    const link = htmlElement("a", { class: "place", href: `#${encodeURI(place)}`, title: `Copy ${place}` }, place);
    link.addEventListener("click", (event) => {
      event.preventDefault();
      this.actions.copy(node.id);
    });
    return link;
  }

  body(node) {
    const body = htmlElement("div", { class: "body" });
    if (node.detail) body.append(htmlElement("p", {}, node.detail));
    const [behind, before] = NEIGHBOUR_TITLES[this.model.kind];
    const { outgoing, incoming } = this.model;
    this.appendNeighbours(body, behind, outgoing[node.id].map((edge) => ({ id: edge.to, edge })));
    this.appendNeighbours(body, before, incoming[node.id].map((edge) => ({ id: edge.from, edge })));
    if (this.model.source(node).length > 0) {
      body.append(sourceBlock(this.model, node, new Set()));
    } else if (node.signature) {
      body.append(htmlElement("pre", { class: "source" }, node.signature));
    }
    return body;
  }

  appendNeighbours(body, title, neighbours) {
    if (neighbours.length === 0) return;
    const links = neighbours.map(({ id, edge }) => {
      const button = htmlElement("button", { type: "button", class: "neighbour" }, this.model.nodes[id].name);
      button.addEventListener("click", () => this.actions.show(id));
      const words = [];
      if (edge.lines.length > 0) words.push(`line ${edge.lines.join(", ")}`);
      if (edge.resolution !== "resolved") words.push(edge.resolution.replace("_", " "));
      return htmlElement("li", {}, button, words.length > 0 ? ` ${words.join(", ")}` : "");
    });
    body.append(htmlElement("h3", {}, title), htmlElement("ul", { class: "neighbours" }, ...links));
  }

  // Shows the items that a search found; all of them where nothing is searched for.
  filter(found, isSearching) {
    for (const [id, item] of this.items) {
      item.hidden = !this.model.isShown(id) || (isSearching && !found.has(id));
    }
    for (const group of this.element.children) {
      const items = [...group.querySelectorAll("ul > li[data-id]")];
      group.hidden = items.every((item) => item.hidden);
    }
  }

  paint(colours) {
    for (const [id, item] of this.items) {
      item.querySelector(".swatch").style.background = colours(id);
      item.classList.toggle("pictured", this.model.visible.has(id));
    }
  }

  select(id) {
    for (const [other, item] of this.items) item.classList.toggle("selected", other === id);
    const item = this.items.get(id);
    if (item && !item.hidden) item.scrollIntoView({ block: "nearest" });
  }
}
