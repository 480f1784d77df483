// The picture: a box for each visible node and an arrow for each edge between them.

const BOX_HEIGHT = 42;
const BOX_PADDING = 14;
const BADGE_WIDTH = 34;
// A longer name is shown by its end, which tells more than its beginning.
const LONGEST_LABEL = 40;
const SVG_NAMESPACE = "http://www.w3.org/2000/svg";

class Picture {
  // `actions` has the handlers for a box: toggle(id), select(id), copy(id), hover(target, place), leave().
  constructor(svg, model, actions) {
    this.svg = svg;
    this.model = model;
    this.actions = actions;
    this.view = new View(svg);
    this.arrows = svg.querySelector("#arrows");
    this.boxes = svg.querySelector("#boxes");
    this.elements = new Map();
    this.corners = new Map();
    const canvas = document.createElement("canvas").getContext("2d");
    const family = getComputedStyle(svg).fontFamily;
    this.textWidth = (text, size) => {
      canvas.font = `${size}px ${family}`;
      return canvas.measureText(text).width;
    };
  }

  // Draws what is visible. The box of `anchor` stays where it is in the window.
  draw({ anchor, colours }) {
    const before = this.corners.get(anchor);
    const ids = [...this.model.visible].sort((one, other) => one - other);
    const places = new Map(ids.map((id, at) => [id, at]));
    const edges = this.model.visibleEdges();
    const sizes = ids.map((id) => this.size(this.model.nodes[id]));
    const { corners, routes } = layOut(
      sizes,
      edges.map((edge) => ({ from: places.get(edge.from), to: places.get(edge.to) })),
      ids.filter((id) => this.model.nodes[id].is_start).map((id) => places.get(id)),
    );
    this.corners = new Map(ids.map((id, at) => [id, { ...corners[at], ...sizes[at] }]));
    const after = this.corners.get(anchor);
    if (before && after) this.view.pan(after.x - before.x, after.y - before.y);
    for (const [id, element] of this.elements) {
      if (this.model.visible.has(id)) continue;
      element.remove();
      this.elements.delete(id);
    }
    for (const id of ids) this.drawBox(this.model.nodes[id], colours);
    this.arrows.replaceChildren(...edges.map((edge, at) => this.arrow(edge, routes[at])));
  }

  size(node) {
    const name = this.textWidth(shortened(node.name), 12.5) + (node.is_test ? BADGE_WIDTH : 0);
    const detail = this.textWidth(shortened(detailOf(node)), 10.5);
    return { width: Math.ceil(Math.max(name, detail)) + 2 * BOX_PADDING, height: BOX_HEIGHT };
  }

  drawBox(node, colours) {
    const { x, y, width, height } = this.corners.get(node.id);
    if (!this.elements.has(node.id)) {
      const element = this.newBox(node, width, height);
      this.elements.set(node.id, element);
      this.boxes.append(element);
    }
    const element = this.elements.get(node.id);
    element.style.transform = `translate(${x}px, ${y}px)`;
    element.querySelector(".stripe").style.fill = colours(node.id);
    const hidden = this.model.hiddenCounts(node.id);
    for (const [side, count] of Object.entries(hidden)) {
      const badge = element.querySelector(`.badge.${side}`);
      badge.textContent = count > 0 ? `+${count}` : "";
    }
    const count = hidden.before + hidden.behind;
    element.setAttribute("aria-label", this.describe(node, count));
    element.setAttribute("aria-expanded", String(count === 0));
  }

  // Returns the label of a box for those who do not see it.
  describe(node, hidden) {
    const parts = [`${node.kind} ${node.name}`, placeOf(node)];
    if (node.is_test) parts.push("test");
    if (hidden > 0) parts.push(`${hidden} more not shown`);
    return parts.join(", ");
  }

  newBox(node, width, height) {
    const box = svgElement("g", { class: "box", role: "button", tabindex: "-1", "data-id": node.id });
    if (node.is_start) box.classList.add("start");
    if (node.is_test) box.classList.add("test");
    const radius = node.is_test ? height / 2 : 6;
    const name = svgElement("text", { class: "name", x: BOX_PADDING, y: 18 }, shortened(node.name));
    const detail = svgElement("text", { class: "detail", x: BOX_PADDING, y: 33 }, shortened(detailOf(node)));
    const link = svgElement("a", { href: `#${encodeURI(placeOf(node))}`, class: "place", tabindex: "-1" });
    link.append(detail);
    link.addEventListener("click", (event) => {
      event.preventDefault();
      event.stopPropagation();
      this.actions.copy(node.id);
    });
    box.append(
      svgElement("rect", { class: "frame", width, height, rx: radius }),
      svgElement("rect", { class: "stripe", x: node.is_test ? 6 : 3, y: node.is_test ? 14 : 6, width: 4, height: node.is_test ? 14 : height - 12, rx: 2 }),
      name,
      link,
      svgElement("text", { class: "badge before", x: -5, y: height / 2 - 6, "text-anchor": "end" }),
      svgElement("text", { class: "badge behind", x: width + 5, y: height / 2 - 6 }),
    );
    if (node.is_test) box.append(svgElement("text", { class: "tag", x: width - 12, y: 17, "text-anchor": "end" }, "test"));
    box.addEventListener("click", () => this.actions.toggle(node.id));
    box.addEventListener("pointerenter", () => this.actions.hover({ node }, box.getBoundingClientRect()));
    box.addEventListener("pointerleave", () => this.actions.leave());
    box.addEventListener("focus", () => this.actions.select(node.id));
    return box;
  }

  arrow(edge, points) {
    const path = points.length === 0 ? this.loop(this.corners.get(edge.from)) : curve(points);
    const group = svgElement("g", { class: `arrow ${edge.resolution}`, "data-from": edge.from, "data-to": edge.to });
    if (edge.is_cycle) group.classList.add("cycle");
    const head = this.model.kind === "map" ? {} : { "marker-end": `url(#${edge.is_cycle ? "cycle-head" : "head"})` };
    group.append(svgElement("path", { class: "line", d: path, ...head }), svgElement("path", { class: "reach", d: path }));
    if (this.model.kind !== "map") {
      group.addEventListener("pointerenter", (event) =>
        this.actions.hover({ edge }, new DOMRect(event.clientX, event.clientY, 8, 8)),
      );
      group.addEventListener("pointerleave", () => this.actions.leave());
    }
    return group;
  }

  // An arrow from a box to itself: a loop above its right corner.
  loop({ x, y, width }) {
    const right = x + width;
    return `M${right - 26} ${y}C${right - 22} ${y - 26} ${right + 26} ${y - 18} ${right} ${y + 12}`;
  }

  // Marks one box, its arrows and its neighbours; and the boxes that a search found.
  mark(selected, found) {
    const near = new Set([selected]);
    for (const arrow of this.arrows.children) {
      const [from, to] = [Number(arrow.dataset.from), Number(arrow.dataset.to)];
      const isOwn = from === selected || to === selected;
      arrow.classList.toggle("own", isOwn);
      arrow.classList.toggle("faint", found.size > 0 && !(found.has(from) && found.has(to)));
      if (isOwn) near.add(from).add(to);
    }
    for (const [id, element] of this.elements) {
      element.classList.toggle("selected", id === selected);
      element.classList.toggle("near", near.has(id));
      element.classList.toggle("found", found.has(id));
      element.classList.toggle("faint", found.size > 0 && !found.has(id));
      element.setAttribute("tabindex", id === selected ? "0" : "-1");
    }
  }

  focus(id) {
    this.elements.get(id)?.focus({ preventScroll: true });
  }

  // Returns the smallest rectangle around all boxes.
  extent() {
    const boxes = [...this.corners.values()];
    const x = Math.min(...boxes.map((box) => box.x));
    const y = Math.min(...boxes.map((box) => box.y));
    const right = Math.max(...boxes.map((box) => box.x + box.width));
    const bottom = Math.max(...boxes.map((box) => box.y + box.height));
    return { x, y, width: right - x, height: bottom - y };
  }

  // Returns the nearest box in a direction: `left`, `right`, `up` or `down`.
  nearest(id, direction) {
    const own = this.corners.get(id);
    const [ownX, ownY] = [own.x, own.y + own.height / 2];
    const isAcross = direction === "left" || direction === "right";
    const sign = direction === "right" || direction === "down" ? 1 : -1;
    const joined = new Set(this.model.neighbours(id));
    let best;
    for (const [other, box] of this.corners) {
      const [across, down] = [box.x - ownX, box.y + box.height / 2 - ownY];
      const [ahead, aside] = isAcross ? [across * sign, Math.abs(down)] : [down * sign, Math.abs(across)];
      if (other === id || ahead <= 0) continue;
      // Neighbours in the graph come before boxes that are only near.
      const cost = ahead + 3 * aside + (isAcross && !joined.has(other) ? 1e6 : 0);
      if (!best || cost < best.cost) best = { other, cost };
    }
    return best?.other;
  }
}

function detailOf(node) {
  if (node.kind === "folder" || node.kind === "file") return node.detail;
  return placeOf(node);
}

function shortened(text) {
  const letters = [...text];
  return letters.length <= LONGEST_LABEL ? text : `…${letters.slice(1 - LONGEST_LABEL).join("")}`;
}

// Through the points, level at each.
function curve(points) {
  let path = `M${points[0].x} ${points[0].y}`;
  for (let at = 1; at < points.length; at++) {
    const [before, point] = [points[at - 1], points[at]];
    const bend = (point.x - before.x) / 2;
    path += `C${before.x + bend} ${before.y} ${point.x - bend} ${point.y} ${point.x} ${point.y}`;
  }
  return path;
}

function svgElement(name, attributes, text) {
  const element = document.createElementNS(SVG_NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}
