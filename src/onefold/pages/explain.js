"use strict";
// Unfolds and folds the operators of a drawing. The layout is Python's: columns and rows. Here they
// are stretched until everything has room, as in placing.py; a test compares the two.

const { sizes, variants } = JSON.parse(document.getElementById("levels").textContent);
const unfolded = new Set(); // paths: an operator stays unfolded in every implementation
const readable = 0.6; // smaller than this, nobody asked for it
let zoom = 1;
let zoomBefore = null; // what it was before all was unfolded and made to fit

// ---- placing ------------------------------------------------------------------------------

function placed(level) {
  const spots = level.items.map(sizeOf);
  const routes = level.wires.map((wire) => wire.route);
  const columns = [...new Set([...level.places, ...routes.flat()].flatMap(([c]) => [c - 0.5, c + 0.5]))];
  columns.sort((a, b) => a - b);
  const index = new Map(columns.map((column, i) => [column, i]));
  const pieces = new Array(columns.length - 1).fill(0);
  const want = (column, width) => {
    for (let i = index.get(column - 0.5); i < index.get(column + 0.5); i++) {
      pieces[i] = Math.max(pieces[i], width * (columns[i + 1] - columns[i]));
    }
  };
  routes.flat().forEach(([column]) => want(column, sizes.passing));
  level.places.forEach(([column], i) => want(column, spots[i].width ? spots[i].width + sizes.beside : 0));
  const xs = [0];
  pieces.forEach((piece) => xs.push(xs.at(-1) + piece));
  const xOf = (column) => (xs[index.get(column - 0.5)] + xs[index.get(column + 0.5)]) / 2;

  const heights = [];
  level.places.forEach(([, row], i) => { heights[row] = Math.max(heights[row] ?? 0, spots[i].height); });
  const rows = [];
  let y = 0;
  for (let row = 0; row < heights.length; row++) {
    rows.push([y, y + (heights[row] ?? 0)]);
    y = rows[row][1] + sizes.between;
  }
  level.places.forEach(([column, row], i) => {
    spots[i].x = xOf(column) - spots[i].width / 2;
    spots[i].y = (rows[row][0] + rows[row][1] - spots[i].height) / 2;
  });

  const bottom = rows.at(-1)[1];
  const wires = level.wires.map((wire) => {
    const [from, to] = [spots[wire.source], spots[wire.target]];
    const runs = wire.route.map(([column, row]) => [xOf(column), rows[row][0] - sizes.lead, rows[row][1]]);
    if (!from.edging) {
      const x = from.inside
        ? from.x + from.inset[0] + from.inside.wires[wire.outgoing].at(-1)[0]
        : from.x + from.width * wire.leaves;
      runs.unshift([x, from.y + from.height, rows[level.places[wire.source][1]][1]]);
    }
    if (!to.edging) {
      const x = to.inside
        ? to.x + to.inset[0] + to.inside.wires[wire.incoming][0][0]
        : to.x + to.width * wire.arrives;
      runs.push([x, rows[level.places[wire.target][1]][0] - sizes.lead, to.y]);
    }
    if (from.edging) runs[0][1] = 0;
    if (to.edging) runs.at(-1)[2] = bottom;
    return runs;
  });
  return { width: xs.at(-1), height: bottom, spots, wires };
}

function sizeOf(item) {
  if (item.kind === "edging") return { edging: true, width: 0, height: 0 };
  if (item.kind === "box" || !unfolded.has(item.path)) return { width: item.size[0], height: item.size[1] };
  const inside = placed(item.level);
  const width = Math.max(item.head[0], inside.width + 2 * sizes.padding);
  const inset = [(width - inside.width) / 2, item.head[1]];
  return { width, height: item.head[1] + inside.height, inside, inset };
}

function path(runs) {
  const n = (value) => Math.round(value * 10) / 10;
  let written = `M${n(runs[0][0])} ${n(runs[0][1])}V${n(runs[0][2])}`;
  for (let i = 1; i < runs.length; i++) {
    const [[x, , from], [toX, to, end]] = [runs[i - 1], runs[i]];
    const half = (from + to) / 2;
    written += `C${n(x)} ${n(half)} ${n(toX)} ${n(half)} ${n(toX)} ${n(to)}V${n(end)}`;
  }
  return written;
}

// ---- drawing ------------------------------------------------------------------------------

const move = (element, x, y) => element.setAttribute("transform", `translate(${x} ${y})`);
const children = (element, chosen) => [...element.querySelectorAll(`:scope > ${chosen}`)];

function apply(level, group, place) {
  children(group, ".wire").forEach((wire, i) => wire.setAttribute("d", path(place.wires[i])));
  for (const tip of children(group, ".tip")) {
    const [x, , y] = place.wires[Number(tip.dataset.wire)].at(-1);
    tip.setAttribute("d", `M${x - 4} ${y - 8}h8l-4 8z`);
  }
  for (const element of children(group, ".item")) {
    const number = Number(element.dataset.item);
    const [item, spot] = [level.items[number], place.spots[number]];
    move(element, spot.x, spot.y);
    if (item.kind !== "frame") continue;
    element.classList.toggle("open", Boolean(spot.inside));
    if (!spot.inside) continue;
    const shown = element.querySelector(":scope > .unfolded");
    const frame = shown.querySelector(":scope > .frame");
    const head = shown.querySelector(":scope > .head");
    const inner = shown.querySelector(":scope > .level");
    frame.setAttribute("width", spot.width);
    frame.setAttribute("height", spot.height);
    head.querySelector(":scope > .shape").setAttribute("width", spot.width);
    move(head.querySelector(":scope > .sign"), spot.width - 18, 8);
    move(inner, ...spot.inset);
    apply(item.level, inner, spot.inside);
  }
}

function draw() {
  const section = shownSection();
  const level = variants[Number(section.dataset.variant)];
  const place = placed(level);
  const svg = section.querySelector("svg");
  const [width, height] = [place.width + 2 * sizes.around, place.height + 2 * sizes.around - sizes.between];
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("width", width * zoom);
  svg.setAttribute("height", height * zoom);
  apply(level, svg.querySelector(":scope > .level"), place);
  const [all, open] = [paths(level), paths(level).filter((each) => unfolded.has(each))];
  document.getElementById("unfold").disabled = open.length === all.length;
  document.getElementById("fold").disabled = open.length === 0;
  document.getElementById("zoomed").textContent = `${Math.round(zoom * 100)} %`;
}

function paths(level) {
  const frames = level.items.filter((item) => item.kind === "frame");
  return frames.flatMap((item) => [item.path, ...paths(item.level)]);
}

// ---- choosing -----------------------------------------------------------------------------

const form = document.getElementById("choices");

function shownSection() {
  return document.querySelector("main > section:not([hidden])");
}

function choose() {
  const chosen = form.elements.implementation.value;
  const rewrites = form.elements.rewrites;
  const mine = [...document.querySelectorAll(`main > section[data-implementation="${chosen}"]`)];
  const can = mine.length > 1;
  rewrites.disabled = !can;
  rewrites.closest("label").classList.toggle("off", !can);
  rewrites.closest("label").title = can ? rewrites.dataset.says : "No rewrite finds anything here.";
  const wanted = can && rewrites.checked ? "on" : "off";
  for (const section of document.querySelectorAll("main > section")) {
    section.hidden = !(mine.includes(section) && section.dataset.rewrites === wanted);
  }
  draw();
}

function fitted() {
  const pane = shownSection().querySelector(".pane");
  const [, , width] = pane.querySelector("svg").getAttribute("viewBox").split(" ");
  return Math.min(1, Math.floor((pane.clientWidth / width) * 100) / 100);
}

function itemOf(element) {
  const button = element.closest?.(".folded, .head");
  return button?.getAttribute("role") === "button" ? button.closest(".item") : null;
}

function dataOf(element) {
  const above = element.parentElement.closest(".item");
  const level = above ? dataOf(above).level : variants[Number(shownSection().dataset.variant)];
  return level.items[Number(element.dataset.item)];
}

function toggle(element) {
  const item = dataOf(element);
  const pane = element.closest(".pane");
  const before = element.getBoundingClientRect();
  if (!unfolded.delete(item.path)) unfolded.add(item.path);
  draw();
  const after = element.getBoundingClientRect(); // what was clicked stays where it was
  pane.scrollBy(after.x + after.width / 2 - before.x - before.width / 2, after.y - before.y);
  const button = unfolded.has(item.path) ? ":scope > .unfolded > .head" : ":scope > .folded";
  element.querySelector(button).focus({ preventScroll: true });
}

document.querySelector("main").addEventListener("click", (event) => {
  const element = itemOf(event.target);
  if (element) toggle(element);
});
document.querySelector("main").addEventListener("keydown", (event) => {
  const element = event.key === "Enter" || event.key === " " ? itemOf(event.target) : null;
  if (!element) return;
  event.preventDefault();
  toggle(element);
});
document.getElementById("unfold").addEventListener("click", () => {
  paths(variants[Number(shownSection().dataset.variant)]).forEach((each) => unfolded.add(each));
  draw();
  const fitting = Math.max(readable, fitted());
  if (fitting >= zoom) return;
  zoomBefore = zoom;
  zoom = fitting;
  draw();
});
document.getElementById("fold").addEventListener("click", () => {
  unfolded.clear();
  zoom = zoomBefore ?? zoom;
  zoomBefore = null;
  draw();
});
for (const [id, factor] of [["closer", 1.25], ["farther", 0.8]]) {
  document.getElementById(id).addEventListener("click", () => {
    zoom = Math.min(4, Math.max(0.25, Math.round(zoom * factor * 100) / 100));
    zoomBefore = null;
    draw();
  });
}
document.getElementById("whole").addEventListener("click", () => {
  zoom = fitted();
  zoomBefore = null;
  draw();
});
form.addEventListener("change", choose);
form.addEventListener("submit", (event) => event.preventDefault());
choose();
