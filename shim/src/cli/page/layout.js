// Positions of boxes and arrows: columns from left to right, so that nearly every arrow points to the right.
//
// A layered drawing in five steps: arrows that close a cycle are turned around; every box gets a column; an arrow that
// passes a column gets a lane in it; boxes and lanes of a column are ordered so that few arrows cross; rows follow from
// the neighbours. Boxes without arrows fill a grid below. Nothing in here touches the document.

const GAP_BETWEEN_ROWS = 14;
const GAP_BETWEEN_COLUMNS = 66;
const LANE_HEIGHT = 12;
const ORDER_SWEEPS = 12;
const ROW_SWEEPS = 10;
// Distance between the middle of a box and an arrow that points to the left.
const BACKWARD_OFFSET = 9;
const NARROWEST_GRID = 900;

// Lays out `sizes` ([{width, height}]), joined by `edges` ([{from, to}], indexes of sizes). Boxes in `starts` come first
// where there is a choice. Returns the upper left corner of each box and the points of each arrow; an arrow from a box
// to itself has none.
function layOut(sizes, edges, starts) {
  const joined = new Set(edges.filter((edge) => edge.from !== edge.to).flatMap((edge) => [edge.from, edge.to]));
  const forward = breakCycles(sizes.length, edges, starts);
  const layers = assignLayers(sizes.length, forward, starts);
  const slots = sizes.map((size, node) => ({ node, layer: layers[node], height: size.height, left: [], right: [] }));
  const ways = forward.map((edge) => insertLanes(edge, slots));
  const columns = collectColumns(slots.filter((slot) => slot.node === undefined || joined.has(slot.node)));
  orderColumns(columns);
  placeRows(columns);
  const across = placeColumns(columns, sizes);
  const corners = slots.slice(0, sizes.length).map((slot) =>
    joined.has(slot.node) ? { x: across[slot.layer].x, y: slot.middle - slot.height / 2 } : undefined,
  );
  placeGrid(sizes, corners);
  const routes = edges.map((edge, at) =>
    ways[at] ? route(edge, forward[at].from !== edge.from, ways[at], corners, sizes, across) : [],
  );
  return { corners, routes };
}

// Returns the same edges, turned around where they would close a cycle.
function breakCycles(count, edges, starts) {
  const outgoing = Array.from({ length: count }, () => []);
  edges.forEach((edge, at) => outgoing[edge.from].push(at));
  const forward = edges.map(({ from, to }) => ({ from, to }));
  const state = new Array(count).fill("new");
  for (const start of [...starts, ...state.keys()]) {
    if (state[start] !== "new") continue;
    // A stack of its own: chains of calls may be long.
    const stack = [{ node: start, next: 0 }];
    state[start] = "open";
    while (stack.length > 0) {
      const top = stack[stack.length - 1];
      if (top.next === outgoing[top.node].length) {
        state[top.node] = "closed";
        stack.pop();
        continue;
      }
      const at = outgoing[top.node][top.next++];
      const { to } = edges[at];
      if (state[to] === "open") {
        forward[at] = { from: to, to: top.node };
      } else if (state[to] === "new") {
        state[to] = "open";
        stack.push({ node: to, next: 0 });
      }
    }
  }
  return forward;
}

// Returns the column of each box: right of everything that leads to it. Boxes that lead to a start, and those that
// nothing leads to, stand as far right as possible, next to what they lead to.
function assignLayers(count, edges, starts) {
  const outgoing = Array.from({ length: count }, () => []);
  const incoming = Array.from({ length: count }, () => []);
  for (const { from, to } of edges) {
    if (from === to) continue;
    outgoing[from].push(to);
    incoming[to].push(from);
  }
  const waiting = incoming.map((list) => list.length);
  const order = [...waiting.keys()].filter((node) => waiting[node] === 0);
  const layers = new Array(count).fill(0);
  for (let at = 0; at < order.length; at++) {
    for (const to of outgoing[order[at]]) {
      layers[to] = Math.max(layers[to], layers[order[at]] + 1);
      if (--waiting[to] === 0) order.push(to);
    }
  }
  const leadsToStart = new Set(starts);
  for (const node of order.reverse()) {
    const leads = outgoing[node].some((to) => leadsToStart.has(to));
    if (leads) leadsToStart.add(node);
    if (outgoing[node].length > 0 && (leads || incoming[node].length === 0)) {
      layers[node] = Math.min(...outgoing[node].map((to) => layers[to])) - 1;
    }
  }
  return layers;
}

// Returns the slots that an edge runs through, with a lane in each column that it passes.
function insertLanes({ from, to }, slots) {
  if (from === to) return undefined;
  const way = [slots[from]];
  for (let layer = slots[from].layer + 1; layer < slots[to].layer; layer++) {
    const lane = { layer, height: LANE_HEIGHT, left: [], right: [] };
    slots.push(lane);
    way.push(lane);
  }
  way.push(slots[to]);
  for (let at = 1; at < way.length; at++) {
    way[at - 1].right.push(way[at]);
    way[at].left.push(way[at - 1]);
  }
  return way;
}

function collectColumns(slots) {
  const columns = [];
  for (const slot of slots) (columns[slot.layer] ??= []).push(slot);
  return Array.from(columns, (column) => column ?? []);
}

// Orders each column from top to bottom: each slot near the mean of those that it is joined with. The order with the
// fewest crossings stays.
function orderColumns(columns) {
  const rank = (column) => column.forEach((slot, at) => (slot.rank = at));
  columns.forEach(rank);
  let best = columns.map((column) => [...column]);
  let fewest = countCrossings(columns);
  for (let sweep = 0; sweep < ORDER_SWEEPS && fewest > 0; sweep++) {
    const side = sweep % 2 === 0 ? "left" : "right";
    const inOrder = side === "left" ? columns : [...columns].reverse();
    for (const column of inOrder) {
      const wish = new Map(column.map((slot) => [slot, mean(slot[side].map((other) => other.rank)) ?? slot.rank]));
      column.sort((one, other) => wish.get(one) - wish.get(other));
      rank(column);
    }
    const crossings = countCrossings(columns);
    if (crossings < fewest) {
      fewest = crossings;
      best = columns.map((column) => [...column]);
    }
  }
  best.forEach((column, at) => {
    columns[at].splice(0, column.length, ...column);
    rank(column);
  });
}

function countCrossings(columns) {
  let crossings = 0;
  for (const column of columns) {
    const ends = column.flatMap((slot) => slot.right.map((other) => other.rank).sort((one, other) => one - other));
    // Insertion into a sorted list: everything behind the place has been passed.
    const sorted = [];
    for (const end of ends) {
      let low = 0;
      let high = sorted.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (sorted[middle] <= end) low = middle + 1;
        else high = middle;
      }
      crossings += sorted.length - low;
      sorted.splice(low, 0, end);
    }
  }
  return crossings;
}

// Sets the middle of each slot: as near as possible to those that it is joined with, without touching its neighbours.
function placeRows(columns) {
  for (const column of columns) {
    let top = 0;
    for (const slot of column) {
      slot.middle = top + slot.height / 2;
      top += slot.height + GAP_BETWEEN_ROWS;
    }
  }
  for (let sweep = 0; sweep < ROW_SWEEPS; sweep++) {
    const side = sweep % 2 === 0 ? "left" : "right";
    const inOrder = side === "left" ? columns : [...columns].reverse();
    for (const column of inOrder) {
      const wishes = column.map((slot) => mean(slot[side].map((other) => other.middle)) ?? slot.middle);
      keepApart(wishes, column).forEach((middle, at) => (column[at].middle = middle));
    }
  }
  const slots = columns.flat();
  const top = slots.reduce((least, slot) => Math.min(least, slot.middle - slot.height / 2), Infinity);
  for (const slot of slots) slot.middle = Math.round(slot.middle - top);
}

// Moves wished places apart: half way between pushing all down and pushing all up, which keeps order and distances.
function keepApart(wishes, column) {
  const distance = (at) => (column[at - 1].height + column[at].height) / 2 + GAP_BETWEEN_ROWS;
  const down = [...wishes];
  for (let at = 1; at < down.length; at++) down[at] = Math.max(down[at], down[at - 1] + distance(at));
  const up = [...wishes];
  for (let at = up.length - 1; at > 0; at--) up[at - 1] = Math.min(up[at - 1], up[at] - distance(at));
  return down.map((middle, at) => (middle + up[at]) / 2);
}

function placeColumns(columns, sizes) {
  let x = 0;
  return columns.map((column) => {
    const width = Math.max(0, ...column.map((slot) => (slot.node === undefined ? 0 : sizes[slot.node].width)));
    const place = { x, width };
    x += width + GAP_BETWEEN_COLUMNS;
    return place;
  });
}

// Puts the boxes that have no corner yet into rows below all others.
function placeGrid(sizes, corners) {
  let [right, bottom] = [NARROWEST_GRID, 0];
  corners.forEach((corner, node) => {
    if (!corner) return;
    right = Math.max(right, corner.x + sizes[node].width);
    bottom = Math.max(bottom, corner.y + sizes[node].height + 3 * GAP_BETWEEN_ROWS);
  });
  let x = 0;
  for (const [node, size] of sizes.entries()) {
    if (corners[node]) continue;
    if (x > 0 && x + size.width > right) {
      x = 0;
      bottom += size.height + GAP_BETWEEN_ROWS;
    }
    corners[node] = { x, y: bottom };
    x += size.width + GAP_BETWEEN_ROWS;
  }
}

// Returns the points of an arrow: out of one box, level to the side of its column, along its lanes, and into the other.
function route({ from, to }, isTurned, way, corners, sizes, across) {
  const side = (node, layer, isRight) => {
    // An arrow back does not run over the arrow there.
    const y = corners[node].y + sizes[node].height / 2 + (isTurned ? BACKWARD_OFFSET : 0);
    const column = across[layer];
    return isRight
      ? [{ x: corners[node].x + sizes[node].width, y }, { x: column.x + column.width, y }]
      : [{ x: corners[node].x, y }];
  };
  const lanes = way.slice(1, -1).flatMap((lane) => {
    const { x, width } = across[lane.layer];
    return [{ x, y: lane.middle }, { x: x + width, y: lane.middle }];
  });
  const [first, last] = [way[0], way[way.length - 1]];
  const points = [...side(first.node, first.layer, true), ...lanes, ...side(last.node, last.layer, false)];
  if (isTurned) points.reverse();
  return points;
}

function mean(numbers) {
  return numbers.length === 0 ? undefined : numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
