// The data of the page, and which part of it the picture shows. Nothing in here touches the document.

// Boxes that the picture begins with, and neighbours that one click adds.
const FIRST_BOXES = { calls: 40, map: 24 };
const BOXES_PER_CLICK = 24;
const MOST_FOLDER_GROUPS = 8;

class Model {
  constructor(data) {
    this.kind = data.kind;
    this.depth = data.depth;
    this.nodes = data.nodes.map((node, id) => ({ ...node, id }));
    this.edges = data.edges;
    this.sources = data.sources;
    this.outgoing = this.nodes.map(() => []);
    this.incoming = this.nodes.map(() => []);
    for (const edge of this.edges) {
      this.outgoing[edge.from].push(edge);
      this.incoming[edge.to].push(edge);
    }
    this.starts = this.nodes.filter((node) => node.is_start).map((node) => node.id);
    this.showsTests = true;
    this.findSides();
    this.findFolders();
    this.reset();
  }

  // Shows the starts, and what is near them, again.
  reset() {
    const most = FIRST_BOXES[this.kind];
    this.roots = new Set(this.starts.slice(0, most));
    this.opened = new Map();
    this.update();
    for (let distance = 0; distance < this.depth; distance++) {
      for (const id of [...this.visible].filter((id) => this.distances[id] === distance)) {
        if (distance === 0 || this.visible.size + this.hiddenNeighbours(id).length <= most) this.open(id);
      }
    }
  }

  // Sets the side of each node, `start`, `callee`, `caller` or `other`, and its distance from the nearest start.
  findSides() {
    this.sides = this.nodes.map(() => "other");
    this.distances = this.nodes.map(() => Infinity);
    const walk = (side, next) => {
      let layer = this.starts;
      for (let distance = 0; layer.length > 0; distance++) {
        const further = new Set();
        for (const id of layer) {
          if (distance < this.distances[id]) {
            this.distances[id] = distance;
            this.sides[id] = distance === 0 ? "start" : side;
          }
          for (const other of next(id)) if (this.distances[other] > distance + 1) further.add(other);
        }
        layer = [...further];
      }
    };
    walk("callee", (id) => this.outgoing[id].map((edge) => edge.to));
    walk("caller", (id) => this.incoming[id].map((edge) => edge.from));
  }

  // Sets the folder of each node by which it is coloured: the deepest level of folders that needs few colours.
  findFolders() {
    const parts = this.nodes.map((node) => {
      const path = node.path.split("/");
      return node.kind === "folder" ? path : path.slice(0, -1);
    });
    const groups = (level) => parts.map((folders) => folders.slice(0, level).join("/") || "./");
    let level = 1;
    const deepest = Math.max(1, ...parts.map((folders) => folders.length));
    while (level < deepest && new Set(groups(level + 1)).size <= MOST_FOLDER_GROUPS) level++;
    this.folders = groups(level);
  }

  isShown(id) {
    return this.showsTests || !this.nodes[id].is_test || this.nodes[id].is_start;
  }

  // Returns the nodes that an edge joins with one.
  neighbours(id) {
    const ids = [...this.outgoing[id].map((edge) => edge.to), ...this.incoming[id].map((edge) => edge.from)];
    return [...new Set(ids)].filter((other) => other !== id && this.isShown(other));
  }

  hiddenNeighbours(id) {
    return this.neighbours(id).filter((other) => !this.visible.has(other));
  }

  // Returns the number of hidden nodes that lead to a node, and of those that it leads to.
  hiddenCounts(id) {
    const count = (ids) => new Set(ids.filter((other) => this.isShown(other) && !this.visible.has(other))).size;
    return {
      before: count(this.incoming[id].map((edge) => edge.from)),
      behind: count(this.outgoing[id].map((edge) => edge.to)),
    };
  }

  // Finds out again what is visible: the roots, and what was opened from them on.
  update() {
    this.visible = new Set([...this.roots].filter((id) => this.isShown(id)));
    for (const id of this.visible) {
      for (const other of this.opened.get(id) ?? []) if (this.isShown(other)) this.visible.add(other);
    }
  }

  // Shows some hidden neighbours of a node. Returns their number.
  open(id) {
    const hidden = this.hiddenNeighbours(id).slice(0, BOXES_PER_CLICK);
    if (!this.opened.has(id)) this.opened.set(id, new Set());
    for (const other of hidden) this.opened.get(id).add(other);
    this.update();
    return hidden.length;
  }

  // Shows hidden neighbours of a node; where there are none, hides those that were opened from it. Returns the change
  // in the number of visible nodes.
  toggle(id) {
    const before = this.visible.size;
    if (this.open(id) === 0) {
      this.opened.delete(id);
      this.update();
    }
    return this.visible.size - before;
  }

  // Makes a node visible, with the shortest way to it from what is visible already.
  reveal(id) {
    if (this.visible.has(id) || !this.isShown(id)) return;
    const cameFrom = new Map([[id, id]]);
    for (const at of cameFrom.keys()) {
      if (this.visible.has(at)) {
        for (let step = at; step !== id; step = cameFrom.get(step)) {
          if (!this.opened.has(step)) this.opened.set(step, new Set());
          this.opened.get(step).add(cameFrom.get(step));
        }
        this.update();
        return;
      }
      for (const other of this.neighbours(at)) if (!cameFrom.has(other)) cameFrom.set(other, at);
    }
    this.roots.add(id);
    this.update();
  }

  // Returns the edges between visible nodes.
  visibleEdges() {
    return this.edges.filter((edge) => this.visible.has(edge.from) && this.visible.has(edge.to));
  }

  // Returns the nodes whose name or path has every word of a text.
  search(text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return [];
    const has = (node) => words.every((word) => `${node.name} ${node.path}:${node.line}`.toLowerCase().includes(word));
    return this.nodes.filter(has).map((node) => node.id);
  }

  // Returns the lines of a node's source that were sent along, with their numbers.
  source(node) {
    const lines = [];
    for (const range of this.sources[node.path] ?? []) {
      range.lines.forEach((text, at) => {
        const number = range.start + at;
        if (number >= node.start_line && number <= node.end_line) lines.push({ number, text });
      });
    }
    return lines;
  }

  // Returns what a node is coloured by: its folder or its kind.
  group(id, colouring) {
    return colouring === "folder" ? this.folders[id] : this.nodes[id].kind;
  }
}

// Returns `src/engine.rs:12`; files and folders have no line, and the folder of all has no path.
function placeOf(node) {
  return node.line > 0 ? `${node.path}:${node.line}` : node.path || ".";
}
