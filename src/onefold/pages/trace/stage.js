// The picture of one operator: what arrives, its windows, what it sends on, what falls out late.

const GUTTER = 92, ROOMY = 34;

// The lanes from top to bottom; where the page is tall, with more room between them.
function lanesOf(operator, tall) {
  const lanes = [];
  const add = (name, label, height) => lanes.push({ name, label, height });
  const high = (rows) => rows.count * DOT + 12;
  const at = operator.id;
  if (operator.source) {
    add("out", "comes in", high(dotRows(`out ${at}`, operator.emits)));
  } else {
    add("in", "arrives", high(dotRows(`in ${at}`, operator.arrivals)));
    if (operator.window) add("panes", "windows", 0);
    add("out", "sends on", high(dotRows(`out ${at}`, operator.emits)));
    if (operator.drops) add("late", "late stream", high(dotRows(`late ${at}`, operator.lates)));
  }
  const wide = lanes.find((lane) => lane.name === "panes");
  if (wide) { // rows are as tall as there is room for all of them
    const many = Math.max(1, paneRows(operator).count);
    const others = lanes.reduce((sum, lane) => sum + lane.height + 14, 16 + namedInputs(operator).length * 13);
    wide.pitch = Math.max(NARROWEST, Math.min(WIDEST, (tall - others) / many));
    wide.height = many * wide.pitch;
  }
  const names = namedInputs(operator).length * 13; // above the tuples that arrive, the names of the inputs' watermarks
  const least = lanes.reduce((sum, lane) => sum + lane.height + 14, 8 + names);
  const room = Math.max(0, Math.min(44, (tall - least) / (lanes.length + 1)));
  let y = 12;
  for (const lane of lanes) {
    const above = lane === lanes[0] ? names : 0;
    lane.y = y + above + room / 2;
    lane.top = y;
    y += above + lane.height + 14 + room;
  }
  return { lanes, height: y };
}

function drawStage(frame, operator, n) {
  const step = trace.steps[n];
  const here = step.operator === operator.id;
  const tall = frame.host.clientHeight - 44;
  const { lanes, height } = lanesOf(operator, tall);
  const total = Math.max(height, tall);
  const mark = markAt(operator, n);
  drawAxis(frame, mark, total);
  moveMark(frame.moving, mark);
  const spots = new Spots(lanes);
  const below = [], above = [];
  below.push(...inputMarks(operator, n, lanes));
  for (const pane of operator.panes) {
    const state = stateAt(pane, n);
    if (state && inSight(pane)) below.push(drawPane(spots, operator, pane, state, n, here && panes[step.window] === pane));
  }
  const dots = [
    ...drawDots(spots, "in", `in ${operator.id}`, operator.arrivals, n, here && step),
    ...drawDots(spots, "out", `out ${operator.id}`, operator.emits, n, here && step),
    ...drawDots(spots, "late", `late ${operator.id}`, operator.lates, n, here && step),
  ];
  if (here) above.push(...wires(spots, operator, step, n));
  frame.content.replaceChildren(...below, ...above, ...dots, ...nothingYet(operator, n, tall));
  frame.labels.replaceChildren(...laneLabels(frame, lanes, total));
  if (here && step.window !== undefined) reveal(frame, spots.panes.get(panes[step.window]));
  else if (here && step.tuple !== undefined) {
    const lane = { late: "late", tuple: "out" }[step.kind] ?? "in";
    const at = spots.dots.get(`${lane} ${step.tuple}`);
    if (at) reveal(frame, { y: at.y - 10, tall: 30 });
  }
}

// The first steps are elsewhere: a reader who sees an empty picture is told how to go on.
function nothingYet(operator, n, height) {
  if (countAt(operator.arrivals, n) || countAt(operator.emits, n)) return [];
  const words = `Nothing has come to ${operator.name} yet: press → for the next step, or play.`;
  return [draw("text", { class: "note", x: view.width / 2, y: height / 2, "text-anchor": "middle" }, words)];
}

// Whether a window can be seen, or how long it is kept.
function inSight(pane) {
  const end = place(pane.left) + barWidth(pane, scaleOf());
  return place(pane.left) <= view.width && Math.max(end, place(pane.right + operators[pane.operator].window.lateness)) >= 0;
}

function laneLabels(frame, lanes, height) {
  const made = [];
  for (const lane of lanes) {
    made.push(draw("text", { class: "lane", x: 14, y: lane.y + (lane.name === "panes" ? 18 : 12) }, lane.label));
    if (lane !== lanes[0]) {
      made.push(draw("line", { class: "rule", x1: 14, x2: frame.host.clientWidth - 14, y1: lane.top - 7.5, y2: lane.top - 7.5 }));
    }
  }
  made.push(draw("line", { class: "rule", x1: frame.gutter - 0.5, x2: frame.gutter - 0.5, y1: 0, y2: height }));
  return made;
}

// Where things stand, remembered while one picture is drawn.
class Spots {
  constructor(lanes) {
    this.lanes = new Map(lanes.map((lane) => [lane.name, lane]));
    this.dots = new Map();
    this.panes = new Map();
    this.members = new Map();
  }
}

// Where watermarks come from more than one input, each has its name.
const namedInputs = (operator) => (operator.inputs.length < 2 ? [] : operator.inputs);

function inputMarks(operator, n, lanes) {
  return namedInputs(operator).flatMap((id, port) => {
    const at = lastAt(operators[id].sent, n)?.at ?? -Infinity;
    if (at === -Infinity) return [];
    const x = placeMark(at), right = x > view.width / 2;
    return [
      draw("line", { class: "input-mark", "data-input": port, x1: x, x2: x, y1: 0, y2: lanes[0].y + lanes[0].height }),
      draw("text", { class: "mark-text", x: x + (right ? -5 : 5), y: 12 + 13 * port, "text-anchor": right ? "end" : "start" }, operators[id].name),
    ];
  });
}

// A window has two lines: what it is, and below the tuples in it, so that none is ever covered.
function drawPane(spots, operator, pane, state, n, now) {
  const lane = spots.lanes.get("panes");
  const { rows, rooms, named } = paneRows(operator);
  const row = rows.get(pane), x = place(pane.left), width = barWidth(pane, scaleOf());
  const y = lane.y + row * lane.pitch, tall = lane.pitch - (lane.pitch > ROOMY ? 10 : 3);
  spots.panes.set(pane, { x, y, width, tall, right: x + width });
  const classes = { open: "", fired: "fired", "fired again": "again", gone: "gone" }[state];
  const group = draw("g", {
    class: `window ${classes}${now ? " now" : ""}`, "data-window": pane.id, "data-state": state,
  });
  group.append(hint(`${pane.span}${pane.key ? ` for ${pane.key}` : ""}: ${state}`));
  group.append(draw("rect", { class: "bar", x: x + 0.5, y: y + 0.5, width, height: tall, rx: 4 }));
  const lateness = operator.window.lateness;
  if (lateness && state !== "gone") {
    const end = place(pane.right + lateness);
    group.append(draw("path", { class: "kept", d: `M${x + width + 1},${y + tall / 2} H${end}` }));
    group.append(draw("path", { class: "kept end", d: `M${end},${y + 3} v${tall - 6}` }));
  }
  const held = pane.added.slice(0, countAt(pane.added, n));
  for (const each of held) {
    const at = { x: Math.max(x + 5, Math.min(place(each.tuple.time), x + width - 4)), y: y + tall - 6.5 };
    if (width < 12) at.x = x + width / 2 + 0.5;
    spots.members.set(`${pane.id} ${each.tuple.id} ${each.step}`, at);
    const circle = draw("circle", { class: "dot", cx: at.x, cy: at.y, r: 3, "data-tuple": each.tuple.id, "data-lane": "window", "data-step": each.step });
    circle.append(hint(each.tuple.whole ?? each.tuple.text));
    group.append(circle);
  }
  group.append(...paneLabel(pane, state, n, { x, y, width, small: lane.pitch <= ROOMY, rooms, named }));
  return group;
}

// What a window is, and how it stands: as much of it as finds room where it can be seen.
function paneLabel(pane, state, n, { x, y, width, small, rooms, named }) {
  const fired = countAt(pane.fired, n);
  const said = state === "gone" ? " · gone" : fired > 1 ? ` · fired ×${fired}` : fired ? " · fired" : "";
  const inside = width >= INSIDE, begin = inside ? x + 6 : x + width + 5;
  const left = inside ? Math.max(begin, 6) : begin;
  if (left < 0) return [];
  const room = Math.min(begin + rooms.get(pane), view.width - 4) - left;
  const label = named && !small ? labelOf(pane) : bareLabelOf(pane);
  const text = fitting([label + said, label, bareLabelOf(pane)], room, small ? SMALL : NORMAL);
  return text ? [draw("text", { class: small ? "small" : "", x: left, y: y + (small ? 11 : 13) }, text)] : [];
}

function drawDots(spots, name, layout, list, n, step) {
  const lane = spots.lanes.get(name);
  if (!lane) return [];
  const { rows } = dotRows(layout, list);
  const made = [];
  for (const each of list.slice(0, countAt(list, n))) {
    const x = place(each.tuple.time), y = lane.y + 8 + rows.get(each) * DOT;
    const behind = each.behind && !each.turned && (name === "in" || lane.label === "comes in");
    const late = name === "late" || each.late < Infinity;
    const kind = late ? "late" : behind ? "behind" : each.turned ? "turned" : name === "out" && lane.label !== "comes in" ? "out" : "";
    spots.dots.set(`${name} ${each.tuple.id}`, { x, y });
    if (x < -9 || x > view.width + 9) continue;
    const now = Boolean(step) && each.step === n || (Boolean(step) && name === "in" && step.tuple === each.tuple.id && step.kind !== "tuple");
    made.push(...dot(x, y, { tuple: each.tuple, classes: kind, now, lane: name, step: each.step }));
  }
  return made;
}

// Lines that show where a tuple goes at this step.
function wires(spots, operator, step, n) {
  const tuple = step.tuple;
  const arrived = spots.dots.get(`in ${tuple}`), sent = spots.dots.get(`out ${tuple}`);
  switch (step.kind) {
    case "added": {
      const member = spots.members.get(`${step.window} ${tuple} ${n}`);
      return arrived && member ? [wire(arrived, member)] : [];
    }
    case "late": {
      const late = spots.dots.get(`late ${tuple}`);
      return arrived && late ? [fallOut(arrived, late)] : [];
    }
    case "turned":
      return arrived && sent ? [roundTheLoop(sent, arrived)] : [];
    case "tuple": {
      const maker = operator.window && makerOf(operator, tuples[tuple], n);
      const pane = maker && spots.panes.get(maker);
      if (pane && sent) return [wire({ x: pane.right - 2, y: pane.y + pane.tall }, sent)];
      return arrived && sent ? [wire(arrived, sent)] : [];
    }
  }
  return [];
}

function reveal(frame, spot) {
  if (!spot) return;
  const { host } = frame, top = spot.y + 40;
  if (top - 44 < host.scrollTop) host.scrollTop = Math.max(0, top - 60);
  else if (top + spot.tall > host.scrollTop + host.clientHeight) host.scrollTop = top + spot.tall - host.clientHeight + 16;
}
