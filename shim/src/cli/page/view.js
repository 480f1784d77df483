// The part of the picture that is seen: moved by dragging, zoomed by the wheel, by two fingers or by keys.

const SMALLEST_SCALE = 0.02;
const LARGEST_SCALE = 4;
// A pointer that moves less has clicked.
const DRAG_THRESHOLD = 4;
const MARGIN = 40;

class View {
  constructor(svg) {
    this.svg = svg;
    this.pointers = new Map();
    this.hasDragged = false;
    // True while the picture is printed, whatever size it has on paper.
    this.isFrozen = false;
    this.scale = 1;
    this.middle = { x: 0, y: 0 };
    svg.addEventListener("wheel", (event) => this.turnWheel(event), { passive: false });
    svg.addEventListener("pointerdown", (event) => this.press(event));
    svg.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel"]) svg.addEventListener(end, (event) => this.release(event));
    // The click that ends a drag is not a click on a box.
    svg.addEventListener("click", (event) => this.hasDragged && event.stopPropagation(), { capture: true });
    new ResizeObserver(() => this.apply()).observe(svg);
  }

  // Writes scale and middle to the picture.
  apply() {
    const { width, height } = this.svg.getBoundingClientRect();
    if (this.isFrozen || width === 0 || height === 0) return;
    const [across, down] = [width / this.scale, height / this.scale];
    this.svg.setAttribute("viewBox", `${this.middle.x - across / 2} ${this.middle.y - down / 2} ${across} ${down}`);
  }

  // Returns the place in the picture below a place in the window.
  locate(clientX, clientY) {
    const { left, top, width, height } = this.svg.getBoundingClientRect();
    return {
      x: this.middle.x + (clientX - left - width / 2) / this.scale,
      y: this.middle.y + (clientY - top - height / 2) / this.scale,
    };
  }

  // Zooms so that one place in the window shows what it showed before: by default its middle.
  zoom(factor, clientX, clientY) {
    const { left, top, width, height } = this.svg.getBoundingClientRect();
    const [x, y] = [clientX ?? left + width / 2, clientY ?? top + height / 2];
    const before = this.locate(x, y);
    this.scale = Math.min(LARGEST_SCALE, Math.max(SMALLEST_SCALE, this.scale * factor));
    const after = this.locate(x, y);
    this.pan(before.x - after.x, before.y - after.y);
  }

  pan(across, down) {
    this.middle = { x: this.middle.x + across, y: this.middle.y + down };
    this.apply();
  }

  // Shows all of a rectangle, no larger than it is.
  fit(rectangle) {
    const { width, height } = this.svg.getBoundingClientRect();
    const scale = Math.min(width / (rectangle.width + 2 * MARGIN), height / (rectangle.height + 2 * MARGIN), 1);
    this.scale = Math.max(SMALLEST_SCALE, scale);
    this.centre(rectangle);
  }

  centre({ x, y, width, height }) {
    this.middle = { x: x + width / 2, y: y + height / 2 };
    this.apply();
  }

  // Moves as little as is needed to show all of a rectangle.
  show(rectangle) {
    const { width, height } = this.svg.getBoundingClientRect();
    const across = Math.max(0, width / this.scale / 2 - MARGIN / 2);
    const down = Math.max(0, height / this.scale / 2 - MARGIN / 2);
    const shift = (from, to, middle, half) => Math.max(0, to - (middle + half)) + Math.min(0, from - (middle - half));
    this.pan(
      shift(rectangle.x, rectangle.x + rectangle.width, this.middle.x, across),
      shift(rectangle.y, rectangle.y + rectangle.height, this.middle.y, down),
    );
  }

  turnWheel(event) {
    event.preventDefault();
    // Some mice report lines instead of pixels.
    const turned = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 30 : 1);
    this.zoom(Math.exp(-turned * (event.ctrlKey ? 0.01 : 0.0015)), event.clientX, event.clientY);
  }

  press(event) {
    if (event.button !== 0) return;
    if (this.pointers.size === 0) this.hasDragged = false;
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  }

  move(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const [across, down] = [event.clientX - before.x, event.clientY - before.y];
    if (!this.hasDragged && Math.hypot(across, down) < DRAG_THRESHOLD) return;
    if (!this.hasDragged) this.svg.setPointerCapture(event.pointerId);
    this.hasDragged = true;
    const other = [...this.pointers].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      const distance = (x, y) => Math.max(1, Math.hypot(x - other.x, y - other.y));
      const factor = distance(event.clientX, event.clientY) / distance(before.x, before.y);
      this.zoom(factor, (event.clientX + other.x) / 2, (event.clientY + other.y) / 2);
    } else {
      this.pan(-across / this.scale, -down / this.scale);
    }
    this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  }

  release(event) {
    this.pointers.delete(event.pointerId);
  }
}
