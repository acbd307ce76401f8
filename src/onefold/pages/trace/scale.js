// Event time and where it stands: which part of it is seen, and the marks of the axis.

const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500];
const SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];

const domain = (() => {
  let first = Infinity, last = -Infinity;
  const take = (time) => {
    if (Number.isFinite(time)) { first = Math.min(first, time); last = Math.max(last, time); }
  };
  tuples.forEach((tuple) => take(tuple.time));
  panes.forEach((pane) => {
    take(pane.left);
    take(pane.right + (operators[pane.operator].window?.lateness ?? 0));
  });
  operators.forEach((operator) => [...operator.sent, ...operator.reached, ...operator.letBy]
    .forEach((mark) => take(mark.at)));
  if (first > last) { first = 0; last = 1; }
  const room = Math.max(1, (last - first) * 0.04);
  return { first: first - room, last: last + room };
})();

const view = { start: domain.first, span: domain.last - domain.first, width: 1 };

const scaleOf = () => view.width / view.span; // pixels for a millisecond
const place = (time) => (time - view.start) * scaleOf();
const whole = () => domain.last - domain.first;

// Where a watermark is drawn: the end of time at the right edge, what is out of sight at its side.
function placeMark(time) {
  return Math.max(-2, Math.min(view.width - 2, time === Infinity ? Infinity : place(time)));
}

function setView(start, span) {
  view.span = Math.min(whole(), Math.max(span, 8));
  view.start = Math.max(domain.first, Math.min(start, domain.last - view.span));
}

// All of time, unless windows would be too narrow to be seen: then so much that they are wide.
function defaultSpan(seen, width) {
  const longest = Math.max(0, ...seen.map((operator) => operator.window?.size ?? 0));
  if (longest <= 1 || (longest / whole()) * width >= 44) return whole();
  return Math.min(whole(), (longest * width) / 110);
}

// What a step is about, in time.
function focusTimes(step) {
  const pane = panes[step.window];
  if (pane) return [pane.left, pane.right];
  if (step.tuple !== undefined) return [tuples[step.tuple].time];
  return [when(step.watermark)];
}

// Where the picture begins at each step, so that what the step is about is in sight. It moves only
// when it must. It is the same whichever way one came to the step.
function startsOf(operator) {
  return remembered(`starts ${operator}`, () => {
    const room = view.span * 0.04, clamp = (at) => Math.max(domain.first, Math.min(at, domain.last - view.span));
    let start = domain.first;
    return trace.steps.map((step) => {
      const finite = focusTimes(step).filter(Number.isFinite);
      if (!finite.length || (operator !== ALL && step.operator !== operator)) return start;
      const low = Math.min(...finite), high = Math.max(...finite);
      if (low < start + room || high > start + view.span - room) {
        start = clamp((high - low > view.span ? low : (low + high) / 2) - view.span / 2);
      }
      return start;
    });
  });
}

function zoom(factor, around) {
  const middle = around ?? view.start + view.span / 2;
  const share = (middle - view.start) / view.span;
  const span = Math.min(whole(), Math.max(view.span * factor, 8));
  setView(middle - span * share, span);
}

function ticks() {
  const least = (view.span / view.width) * (trace.clock.moments ? 96 : 62);
  const wide = [];
  for (let power = 1000; power < 1e15; power *= 1000) wide.push(...STEPS.map((each) => each * power));
  const known = trace.clock.moments ? SECONDS.map((each) => each * 1000) : wide;
  const step = [...STEPS, ...known].find((each) => each >= least) ?? least;
  const found = [];
  for (let at = Math.ceil(view.start / step) * step; at <= view.start + view.span; at += step) {
    found.push(at);
  }
  return found;
}

function shownTime(time) {
  if (time === Infinity) return "end of stream";
  if (time === -Infinity) return "none yet";
  if (!trace.clock.moments) return String(time);
  const text = new Date(time).toISOString();
  const clock = text.slice(11, time % 1000 ? 23 : 19);
  return trace.clock.dates ? `${text.slice(5, 10)} ${clock}` : clock;
}
