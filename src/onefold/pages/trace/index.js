// What the trace holds. Everything knows the steps at which it changed, so that the picture at a
// step is looked up and never undone: going back shows exactly what was there.

const trace = JSON.parse(document.getElementById("trace").textContent);
const ALL = -1;

const when = (mark) => (mark === "end" ? Infinity : mark === null ? -Infinity : mark);

const tuples = trace.tuples.map((given, id) => ({ ...given, id, first: undefined }));
const panes = trace.windows.map((given, id) => ({
  ...given, id, opened: undefined, added: [], fired: [], purged: Infinity,
}));
const operators = trace.operators.map((given, id) => ({
  ...given, id, steps: [], arrivals: [], emits: [], lates: [], panes: [],
  reached: [], letBy: [], sent: [],
}));

// The last entry of a list, ordered by step, that had happened at a step.
function lastAt(list, n) {
  const many = countAt(list, n);
  return many ? list[many - 1] : undefined;
}

function countAt(list, n) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle].step <= n) low = middle + 1; else high = middle;
  }
  return low;
}

// The watermark by which an operator's windows fire; a source's is what it promises.
function marksOf(operator) {
  return operator.source ? operator.sent : operator.loops ? operator.letBy : operator.reached;
}

function markAt(operator, n) {
  return lastAt(marksOf(operator), n)?.at ?? -Infinity;
}

// What a window is like at a step: undefined before it opens.
function stateAt(pane, n) {
  if (pane.opened === undefined || n < pane.opened) return undefined;
  if (n >= pane.purged) return "gone";
  const fired = countAt(pane.fired, n);
  return fired === 0 ? "open" : fired === 1 ? "fired" : "fired again";
}

trace.steps.forEach((given, step) => {
  const operator = operators[given.operator];
  const pane = panes[given.window];
  const tuple = tuples[given.tuple];
  operator.steps.push(step);
  if (tuple && tuple.first === undefined) tuple.first = step;
  switch (given.kind) {
    case "tuple":
      operator.emits.push({ step, tuple, behind: tuple.time < (operator.sent.at(-1)?.at ?? -Infinity) });
      break;
    case "arrived":
    case "turned": {
      const behind = tuple.time < (marksOf(operator).at(-1)?.at ?? -Infinity);
      const turned = given.kind === "turned";
      operator.arrivals.push({ step, tuple, behind, turned, late: Infinity });
      break;
    }
    case "late": {
      const arrival = operator.arrivals.findLast((each) => each.tuple === tuple);
      if (arrival) arrival.late = step;
      operator.lates.push({ step, tuple });
      break;
    }
    case "opened": pane.opened = step; break;
    case "added": pane.added.push({ step, tuple }); break;
    case "fired":
    case "fired again":
      pane.opened ??= step; // a state is put out at every period, with or without a new tuple
      pane.fired.push({ step, emitted: given.emitted.map((id) => tuples[id]) });
      break;
    case "purged": pane.purged = step; break;
    case "watermark": operator.sent.push({ step, at: when(given.watermark) }); break;
    case "reached": operator.reached.push({ step, at: when(given.watermark) }); break;
    case "let by": operator.letBy.push({ step, at: when(given.watermark) }); break;
  }
});
panes.forEach((pane) => operators[pane.operator].panes.push(pane));

// Which window made a tuple that an operator emits at a step.
function makerOf(operator, tuple, n) {
  let found;
  for (const pane of operator.panes) {
    for (const firing of pane.fired) {
      if (firing.step <= n && firing.emitted.includes(tuple)) found = pane;
    }
  }
  return found;
}
