// Drawing: elements of SVG and of HTML. Text is set as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

function draw(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) made.setAttribute(name, value);
  }
  made.append(...children.filter((each) => each !== undefined && each !== null));
  return made;
}

function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "onclick") made.addEventListener("click", value);
    else if (value !== undefined && value !== false) made.setAttribute(name, value);
  }
  made.append(...children.filter((each) => each !== undefined && each !== null));
  return made;
}

const hint = (text) => draw("title", {}, text);
const byId = (id) => document.getElementById(id);

function dot(x, y, { tuple, classes = "", now = false, lane, step, text }) {
  const about = text ?? tuple.whole ?? tuple.text;
  const circle = draw(
    "circle",
    {
      class: `dot ${classes}${now ? " now" : ""}`, cx: x, cy: y, r: 4.5,
      "data-tuple": tuple.id, "data-lane": lane, "data-step": step,
    },
    hint(about),
  );
  return now ? [draw("circle", { class: "halo", cx: x, cy: y, r: 9 }), circle] : [circle];
}

function wire(from, to, classes = "") {
  const bend = (from.y + to.y) / 2;
  return draw("path", {
    class: `wire ${classes}`,
    d: `M${from.x},${from.y} C${from.x},${bend} ${to.x},${bend} ${to.x},${to.y}`,
  });
}

// From where a tuple arrived down to the late stream, past all that it is too late for.
function fallOut(from, to) {
  const side = from.x + (from.x > view.width - 60 ? -44 : 44);
  return draw("path", {
    class: "wire late",
    d: `M${from.x},${from.y} C${side},${from.y + 12} ${side},${to.y - 12} ${to.x},${to.y}`,
  });
}

// From what was emitted back up to where it arrives again.
function roundTheLoop(from, to) {
  const side = Math.max(from.x, to.x) + 64;
  return draw("path", {
    class: "wire turned",
    d: `M${from.x},${from.y} C${side},${from.y} ${side},${to.y} ${to.x},${to.y}`,
  });
}

// An axis of event time, the watermark, and a place for what changes with every step.
function frame(host, gutter) {
  const axis = draw("svg", { height: 40, class: "axis" });
  const body = draw("svg", { class: "body" });
  const plot = draw("svg", { x: gutter, y: 0 });
  const moving = draw("g", { class: "moving" },
    draw("rect", { class: "area", x: -20000, y: 0, width: 20000, height: 20000 }),
    draw("line", { class: "mark", "data-watermark": "", x1: 0, x2: 0, y1: 0, y2: 20000 }));
  const content = draw("g"), labels = draw("g");
  const ground = draw("g");
  plot.append(ground, moving, content);
  body.append(labels, plot);
  const top = make("div", { class: "axis-host" }, axis);
  top.style.cssText = "position:sticky;top:0;z-index:1;background:var(--card)";
  host.replaceChildren(top, body);
  return { host, gutter, axis, body, plot, ground, moving, content, labels };
}

function moveMark(group, time) {
  group.style.display = time === -Infinity ? "none" : "";
  group.style.transform = time === -Infinity ? "" : `translate(${placeMark(time)}px, 0)`;
}

function drawAxis(frame, mark, height) {
  const width = frame.host.clientWidth;
  frame.axis.setAttribute("width", width);
  frame.body.setAttribute("width", width);
  frame.body.setAttribute("height", height);
  frame.plot.setAttribute("width", view.width);
  frame.plot.setAttribute("height", height);
  const plot = draw("svg", { x: frame.gutter, y: 0, width: view.width, height: 40 });
  const lines = ticks().map((at) => draw("line", { class: "tick", x1: place(at), x2: place(at), y1: 0, y2: height }));
  frame.ground.replaceChildren(...lines);
  for (const at of ticks()) {
    const half = widthOf(shownTime(at)) / 2 + 4;
    if (place(at) < half || place(at) > view.width - half) continue; // its ends would be cut off
    plot.append(draw("text", { class: "time", x: place(at), y: 33, "text-anchor": "middle" }, shownTime(at)));
  }
  const parts = [draw("text", { class: "lane", x: 14, y: 33 }, "event time")];
  if (mark !== undefined && mark !== -Infinity) parts.push(flag(frame.gutter, mark));
  parts.push(plot, draw("line", { class: "rule", x1: 0, x2: width, y1: 39.5, y2: 39.5 }));
  frame.axis.replaceChildren(...parts);
}

function flag(gutter, mark) {
  const x = placeMark(mark);
  const beyond = mark !== Infinity && place(mark) < 0 ? "◂ " : "";
  const after = mark !== Infinity && place(mark) > view.width ? " ▸" : "";
  const label = `${beyond}watermark ${mark === Infinity ? "∞, the end of the stream" : shownTime(mark)}${after}`;
  const right = x > view.width / 2;
  return draw("g", { transform: `translate(${gutter + x}, 0)` },
    draw("line", { class: "mark", x1: 0, x2: 0, y1: 4, y2: 40 }),
    draw("text", { class: "mark-text", "data-flag": "", x: right ? -7 : 7, y: 14, "text-anchor": right ? "end" : "start" }, label));
}
