// The page: joins model, picture, list, card and controls.

const COLOURS = 8;
const ZOOM_STEP = 1.25;
// A picture that would be smaller than this is not fitted at first, but shown around what was asked about.
const READABLE_SCALE = 0.6;
const FIRST_SCALE = 0.85;
const THEME_KEY = "claudevil-theme";

const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId("data").textContent);
const model = new Model(data);
const state = { selected: model.starts[0] ?? 0, found: [], highlighted: undefined, colouring: "folder" };
let groups = new Map();

const card = new Card(byId("card"), model);
const list = new List(byId("list"), model, { show, copy });
const picture = new Picture(byId("picture"), model, {
  toggle,
  select,
  copy,
  hover: (target, rectangle) => card.showSoon(target, rectangle),
  leave: () => card.hideSoon(),
});

start();

function start() {
  byId("title").textContent = data.title;
  byId("summary").textContent = data.summary;
  byId("notes").replaceChildren(...data.notes.map((note) => htmlElement("li", {}, note)));
  document.body.classList.add(model.kind);
  byId("tests").hidden = !model.nodes.some((node) => node.is_test && !node.is_start);
  setUpControls();
  setUpKeys();
  setUpTheme();
  setUpPrinting();
  draw();
  showAtFirst();
  openFragment();
  addEventListener("hashchange", openFragment);
}

// Draws the picture and everything that depends on what it shows. The box of `anchor` stays where it is.
function draw(anchor) {
  groupNodes();
  picture.draw({ anchor, colours });
  list.paint(colours);
  drawLegend();
  mark();
  byId("shown").textContent =
    `The picture shows ${model.visible.size} of the ${model.nodes.length} ${model.kind === "map" ? "entries" : "symbols"} in this page.`;
}

function mark() {
  const text = byId("search").value.trim();
  const highlighted = model.nodes.filter((node) => model.group(node.id, state.colouring) === state.highlighted);
  const found = new Set(text ? state.found : highlighted.map((node) => node.id));
  if (!model.visible.has(state.selected)) state.selected = [...model.visible][0];
  picture.mark(state.selected, found);
  list.filter(found, text !== "");
}

function showAtFirst() {
  picture.view.fit(picture.extent());
  if (picture.view.scale >= READABLE_SCALE) return;
  const box = picture.corners.get(state.selected);
  picture.view.scale = FIRST_SCALE;
  picture.view.centre(box);
  // A tree has nothing on the left of its root.
  const { width } = byId("picture").getBoundingClientRect();
  if (model.kind === "map") picture.view.pan(width / FIRST_SCALE / 2 - box.width / 2 - MARGIN, 0);
}

// Numbers the groups by size: the largest have colours of their own.
function groupNodes() {
  const counts = new Map();
  for (const node of model.nodes) {
    const group = model.group(node.id, state.colouring);
    counts.set(group, (counts.get(group) ?? 0) + 1);
  }
  const sorted = [...counts].sort((one, other) => other[1] - one[1]);
  groups = new Map(sorted.map(([name, count], at) => [name, { count, colour: Math.min(at, COLOURS) }]));
}

function colours(id) {
  return `var(--group-${groups.get(model.group(id, state.colouring)).colour})`;
}

function drawLegend() {
  const entries = [...groups].map(([name, { count, colour }]) => {
    const swatch = htmlElement("span", { class: "swatch", "aria-hidden": "true" });
    swatch.style.background = `var(--group-${colour})`;
    const button = htmlElement("button", { type: "button", "aria-pressed": state.highlighted === name }, swatch, name, " ");
    button.append(htmlElement("span", { class: "count" }, String(count)));
    button.addEventListener("click", () => {
      state.highlighted = state.highlighted === name ? undefined : name;
      drawLegend();
      mark();
    });
    return htmlElement("li", {}, button);
  });
  byId("groups").replaceChildren(...entries);
}

function select(id) {
  state.selected = id;
  mark();
  list.select(id);
  picture.view.show(picture.corners.get(id));
}

function toggle(id) {
  const change = model.toggle(id);
  state.selected = id;
  draw(id);
  list.select(id);
  const hidden = model.hiddenNeighbours(id).length;
  const more = hidden > 0 ? `; ${hidden} more with another click` : "";
  if (change > 0) say(`${change} more shown${more}`);
  else if (change < 0) say(`${-change} hidden`);
  else say("Nothing more was sent along with the page");
}

// Shows a node in the picture, with a way to it.
function show(id) {
  if (!model.isShown(id)) return;
  const wasVisible = model.visible.has(id);
  model.reveal(id);
  if (!wasVisible) draw(state.selected);
  select(id);
  picture.view.centre(picture.corners.get(id));
}

async function copy(id) {
  const place = placeOf(model.nodes[id]);
  try {
    await navigator.clipboard.writeText(place);
    say(`Copied ${place}`);
  } catch {
    say(`This browser does not let the page copy: ${place}`);
  }
}

function say(text) {
  byId("status").textContent = text;
}

function search(text) {
  state.found = model.search(text).filter((id) => model.isShown(id));
  mark();
  if (!text.trim()) say("");
  else say(state.found.length === 0 ? "Nothing in this page matches" : `${state.found.length} found; Enter shows the next`);
}

function showNextFound(step) {
  if (state.found.length === 0) return;
  const at = state.found.indexOf(state.selected);
  const next = at < 0 ? 0 : (at + step + state.found.length) % state.found.length;
  show(state.found[next]);
  say(`${next + 1} of ${state.found.length}: ${placeOf(model.nodes[state.found[next]])}`);
}

function setUpControls() {
  const field = byId("search");
  field.addEventListener("input", () => search(field.value));
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      showNextFound(event.shiftKey ? -1 : 1);
    } else if (event.key === "Escape") {
      field.value = "";
      search("");
    }
  });
  byId("colouring").addEventListener("change", (event) => {
    state.colouring = event.target.value;
    state.highlighted = undefined;
    draw();
  });
  byId("show-tests").addEventListener("change", (event) => {
    model.showsTests = event.target.checked;
    model.update();
    draw(state.selected);
  });
  byId("zoom-in").addEventListener("click", () => picture.view.zoom(ZOOM_STEP));
  byId("zoom-out").addEventListener("click", () => picture.view.zoom(1 / ZOOM_STEP));
  byId("fit").addEventListener("click", () => picture.view.fit(picture.extent()));
  byId("reset").addEventListener("click", () => {
    model.reset();
    state.selected = model.starts[0] ?? 0;
    draw();
    showAtFirst();
  });
  byId("keys-button").addEventListener("click", () => byId("keys").showModal());
}

function setUpKeys() {
  const directions = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down" };
  byId("picture").addEventListener("keydown", (event) => {
    const id = Number(event.target.closest(".box")?.dataset.id ?? state.selected);
    if (directions[event.key]) {
      const next = picture.nearest(id, directions[event.key]);
      if (next !== undefined) focusBox(next);
    } else if (event.key === "Enter" || event.key === " ") {
      toggle(id);
      focusBox(id);
    } else if (event.key === "c" && !event.ctrlKey && !event.metaKey) {
      copy(id);
    } else {
      return;
    }
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") card.hide();
    if (event.target.closest("input, select, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = {
      "/": () => byId("search").focus(),
      "+": () => picture.view.zoom(ZOOM_STEP),
      "=": () => picture.view.zoom(ZOOM_STEP),
      "-": () => picture.view.zoom(1 / ZOOM_STEP),
      0: () => picture.view.fit(picture.extent()),
      g: () => focusBox(state.selected),
      "?": () => byId("keys").showModal(),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  byId("picture").addEventListener("focusout", () => card.hideSoon());
}

// Moves the keyboard to a box, and shows its card as a pointer would.
function focusBox(id) {
  picture.focus(id);
  card.showSoon({ node: model.nodes[id] }, picture.elements.get(id).getBoundingClientRect());
}

// The theme is the system's unless one is chosen, which is remembered where the browser lets a file remember anything.
function setUpTheme() {
  const choice = byId("theme");
  const apply = () => {
    if (choice.value === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = choice.value;
  };
  try {
    choice.value = localStorage.getItem(THEME_KEY) ?? "system";
  } catch {
    choice.value = "system";
  }
  choice.addEventListener("change", () => {
    apply();
    try {
      localStorage.setItem(THEME_KEY, choice.value);
    } catch {
      say("This browser will not remember the theme");
    }
  });
  apply();
}

// On paper all of the picture is shown, and nothing hovers.
function setUpPrinting() {
  addEventListener("beforeprint", () => {
    card.hide();
    const { x, y, width, height } = picture.extent();
    picture.view.isFrozen = true;
    byId("picture").setAttribute("viewBox", `${x - MARGIN} ${y - MARGIN} ${width + 2 * MARGIN} ${height + 2 * MARGIN}`);
  });
  addEventListener("afterprint", () => {
    picture.view.isFrozen = false;
    picture.view.apply();
  });
}

// `#src/engine.rs:12` in the address selects the symbol there.
function openFragment() {
  let place;
  try {
    place = decodeURI(location.hash.slice(1));
  } catch {
    return;
  }
  const node = model.nodes.find((one) => placeOf(one) === place);
  if (place && node) show(node.id);
}
