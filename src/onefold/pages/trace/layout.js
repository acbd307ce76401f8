// In which row things stand. It is found once for the whole trace, so that nothing jumps as steps go
// by: a window that is still to open has its place already.

const DOT = 11, WIDEST = 38, NARROWEST = 26, MOST_ROWS = 7;
const INSIDE = 63; // so wide a bar has its label inside, a narrower one beside it
const layouts = new Map();

function remembered(name, make) {
  const known = `${name} ${scaleOf().toPrecision(8)}`;
  if (!layouts.has(known)) {
    if (layouts.size > 200) layouts.clear();
    layouts.set(known, make());
  }
  return layouts.get(known);
}

const labelOf = (pane) => pane.key || "all tuples";
const bareLabelOf = (pane) => labelOf(pane).replace(/(^|, )\w+=/g, "$1"); // the names of a key's attributes need room
const barWidth = (pane, scale) => Math.max(6, (pane.right - pane.left) * scale - 1);

// How much room is kept for a window's label beside its bar; inside of a wide bar it needs none.
function besideBar(pane, scale) {
  if (barWidth(pane, scale) >= INSIDE) return 0;
  return Math.min(160, widthOf(`${bareLabelOf(pane)} · fired ×2`)) + 10;
}

// Windows take rows in the order in which they open: the first that is free, best that of the key.
function paneRows(operator) {
  return remembered(`panes ${operator.id}`, () => {
    const scale = scaleOf(), taken = [], ofKey = new Map(), rows = new Map();
    for (const pane of inOpeningOrder(operator)) {
      const from = pane.left * scale;
      const to = Math.max(pane.right * scale, from + 6) + besideBar(pane, scale) + 3;
      const free = (row) => !taken[row]?.some((each) => each.from < to - 3.5 && from < each.to - 3.5);
      let row = ofKey.get(pane.key) ?? 0;
      if (!free(row)) {
        row = 0;
        while (!free(row)) row += 1;
      }
      ofKey.set(pane.key, row);
      (taken[row] ??= []).push({ from, to, pane });
      rows.set(pane, row);
    }
    const rooms = labelRooms(taken, scale);
    const named = [...rooms].every(([pane, room]) => widthOf(labelOf(pane)) <= room);
    return { rows, rooms, named, count: taken.length };
  });
}

// How much room each label has: in its bar, or beside it up to the next bar of the row.
function labelRooms(taken, scale) {
  const rooms = new Map();
  for (const row of taken) {
    const inOrder = [...row].sort((a, b) => a.from - b.from);
    inOrder.forEach(({ from, pane }, at) => {
      const bar = barWidth(pane, scale), next = inOrder[at + 1]?.from ?? Infinity;
      rooms.set(pane, bar >= INSIDE ? bar - 12 : next - from - bar - 8);
    });
  }
  return rooms;
}

function inOpeningOrder(operator) {
  return operator.panes.filter((pane) => pane.opened !== undefined).sort((a, b) => a.opened - b.opened);
}

// Thin rows for the picture of all operators. What finds no room has none: it is counted, and the
// one that a step is about is shown in a row below the others.
function thinRows(operator) {
  return remembered(`thin ${operator.id}`, () => {
    const scale = scaleOf(), ends = [], rows = new Map();
    const inOrder = operator.panes.filter((pane) => pane.opened !== undefined).sort((a, b) => a.left - b.left);
    for (const pane of inOrder) {
      let row = 0;
      while ((ends[row] ?? -Infinity) > pane.left * scale + 0.5) row += 1;
      if (row === MOST_ROWS) continue;
      ends[row] = Math.max(pane.right * scale, pane.left * scale + 6);
      rows.set(pane, row);
    }
    return { rows, count: ends.length + (rows.size < inOrder.length ? 1 : 0) };
  });
}

// Dots that would cover each other stand above each other.
function dotRows(name, dots) {
  return remembered(name, () => {
    const scale = scaleOf(), ends = [], rows = new Map();
    const inOrder = [...dots].sort((a, b) => a.tuple.time - b.tuple.time || a.step - b.step);
    for (const dot of inOrder) {
      const at = dot.tuple.time * scale;
      let row = 0;
      while (row < MOST_ROWS - 1 && (ends[row] ?? -Infinity) > at) row += 1;
      ends[row] = at + DOT;
      rows.set(dot, row);
    }
    return { rows, count: Math.max(1, ends.length) };
  });
}
