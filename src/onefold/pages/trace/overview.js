// The picture of all operators: a strip for each, with the watermark that holds there.

const NAMES = 168, THIN = 8;

function stripsOf() {
  let y = 6;
  const strips = operators.map((operator) => {
    const rows = operator.window ? thinRows(operator).count : 0;
    const strip = { operator, y, height: Math.max(44, 26 + rows * THIN + 6) };
    y += strip.height;
    return strip;
  });
  return { strips, height: y + 6 };
}

function drawOverview(frame, n) {
  const step = trace.steps[n];
  const { strips, height } = stripsOf();
  const total = Math.max(height, frame.host.clientHeight - 44);
  drawAxis(frame, undefined, total);
  moveMark(frame.moving, -Infinity);
  const labels = [], content = [];
  for (const strip of strips) {
    const acting = step.operator === strip.operator.id;
    labels.push(stripLabel(frame, strip, n, acting));
    content.push(...stripContent(strip, n, acting && step));
  }
  frame.labels.replaceChildren(...labels);
  frame.content.replaceChildren(...content);
  const now = strips[step.operator];
  const { host } = frame;
  if (now.y < host.scrollTop) host.scrollTop = Math.max(0, now.y - 20);
  else if (now.y + now.height + 40 > host.scrollTop + host.clientHeight) {
    host.scrollTop = now.y + now.height + 48 - host.clientHeight;
  }
}

function stripLabel(frame, { operator, y, height }, n, acting) {
  const mark = markAt(operator, n);
  const label = draw("g", { class: `strip${acting ? " acting" : ""}`, "data-operator": operator.id },
    draw("rect", { class: "back", x: 0, y: y + 1, width: frame.host.clientWidth, height: height - 2 }),
    draw("text", { class: "name", x: 14, y: y + 19 }, shortened(`${operator.name}${operator.loops ? " ↻" : ""}`, NAMES - 22, 12.5, 600)),
    draw("text", { x: 14, y: y + 35 }, `watermark ${mark === Infinity ? "∞" : shownTime(mark)}`),
    draw("line", { class: "rule", x1: 14, x2: frame.host.clientWidth - 14, y1: y + height - 0.5, y2: y + height - 0.5 }),
    hint(`show ${operator.name} alone`));
  const more = withoutRoom(operator, n), open = more.filter((pane) => stateAt(pane, n) !== "gone").length;
  if (more.length) {
    label.append(draw("text", { class: "more", x: 14, y: y + height - 9 }, `+${more.length} more${open ? `, ${open} open` : ""}`));
  }
  return label;
}

// The windows that would be seen at a step if there were room for them.
function withoutRoom(operator, n) {
  if (!operator.window) return [];
  const { rows } = thinRows(operator);
  return operator.panes.filter((pane) => !rows.has(pane) && stateAt(pane, n) && inSight(pane));
}

function stripContent({ operator, y, height }, n, step) {
  const made = [];
  const mark = markAt(operator, n);
  if (mark !== -Infinity) {
    const x = placeMark(mark);
    made.push(draw("rect", { class: "area", x: 0, y: y + 1, width: Math.max(0, x), height: height - 2 }));
    made.push(draw("line", { class: "mark", x1: x, x2: x, y1: y + 1, y2: y + height - 1 }));
  }
  const rows = operator.window ? thinRows(operator).rows : new Map();
  for (const pane of operator.panes) {
    const state = stateAt(pane, n);
    const now = step && panes[step.window] === pane;
    if (!state || !inSight(pane) || !(rows.has(pane) || now)) continue;
    const classes = { open: "", fired: "fired", "fired again": "again", gone: "gone" }[state];
    const bar = draw("rect", {
      class: "bar", x: place(pane.left), y: y + 24 + (rows.get(pane) ?? MOST_ROWS) * THIN, rx: 2,
      width: Math.max(4, (pane.right - pane.left) * scaleOf() - 1), height: THIN - 2,
    });
    made.push(draw("g", { class: `window ${classes}${now ? " now" : ""}`, "data-state": state, "data-operator": operator.id },
      hint(`${pane.span}${pane.key ? ` for ${pane.key}` : ""}: ${state}`), bar));
  }
  const dots = [];
  const put = (list, kind) => {
    for (const each of list.slice(0, countAt(list, n))) {
      const x = place(each.tuple.time);
      if (x < -9 || x > view.width + 9) continue;
      const now = step && (each.step === n || (step.tuple === each.tuple.id && kind !== "out"));
      dots.push(...dot(x, y + 13, { tuple: each.tuple, classes: kind, now, lane: kind || "in", step: each.step }));
    }
  };
  put(operator.emits, operator.source ? "" : "out");
  put(operator.lates, "late");
  if (step && (step.kind === "arrived" || step.kind === "turned")) {
    const last = lastAt(operator.arrivals, n);
    if (last?.step === n) put([last], last.turned ? "turned" : "");
  }
  return [...made, ...dots];
}
