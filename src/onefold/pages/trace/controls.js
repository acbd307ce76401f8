// The controls: which step, which operator, which part of time; by mouse and by keyboard.

const PACE = 900; // milliseconds for a step at speed 1
const state = { step: 0, operator: ALL, only: false, timer: undefined, dragged: false };
const stage = byId("stage");
let framed, walk = trace.steps.map((_, n) => n);

function shownSteps() {
  return state.only && state.operator !== ALL ? operators[state.operator].steps : trace.steps.map((_, n) => n);
}

// Where a step is in the list that is walked through: the last one that is not after it.
function placeInWalk(n) {
  let low = 0, high = walk.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (walk[middle] <= n) low = middle + 1; else high = middle;
  }
  return Math.max(0, low - 1);
}

function resetFrame() {
  const gutter = state.operator === ALL ? NAMES : GUTTER;
  framed = frame(stage, gutter);
  view.width = Math.max(200, stage.clientWidth - gutter - 16);
  const seen = state.operator === ALL ? operators : [operators[state.operator]];
  setView(view.start, defaultSpan(seen, view.width));
}

function redraw() {
  if (!trace.steps.length) return;
  const n = state.step;
  view.width = Math.max(200, stage.clientWidth - framed.gutter - 16);
  if (!state.dragged) view.start = startsOf(state.operator)[n];
  sayStep(n);
  showOperators(n, state.operator);
  showElsewhere(n, state.operator);
  showFacts(n, state.operator);
  if (state.operator === ALL) drawOverview(framed, n);
  else drawStage(framed, operators[state.operator], n);
  steps.show(n);
  const at = placeInWalk(n) + 1;
  byId("slider").value = at;
  byId("slider").setAttribute("aria-valuetext", `step ${at} of ${walk.length}: ${trace.steps[n].words}`);
  byId("count").textContent = `${at.toLocaleString("en")} / ${walk.length.toLocaleString("en")}`;
  for (const id of ["first", "back"]) byId(id).setAttribute("aria-disabled", String(at === 1));
  for (const id of ["forward", "last"]) byId(id).setAttribute("aria-disabled", String(at === walk.length));
}

function go(n) {
  state.step = walk[placeInWalk(n)] ?? 0;
  state.dragged = false;
  redraw();
}

function move(by) {
  const at = placeInWalk(state.step) + by;
  state.step = walk[Math.max(0, Math.min(walk.length - 1, at))];
  state.dragged = false;
  redraw();
}

// To the first step of the next or the last input.
function moveInput(by) {
  const from = trace.steps[state.step].cause;
  const ahead = by > 0 ? walk : [...walk].reverse();
  const found = ahead.find((n) => (trace.steps[n].cause - from) * by > 0);
  if (found === undefined) return move(by * walk.length);
  const cause = trace.steps[found].cause;
  go(walk.find((n) => trace.steps[n].cause === cause));
}

function select(id) {
  state.operator = id;
  byId("only").disabled = id === ALL;
  rewalk();
  resetFrame();
  go(state.step);
  byId("operators").querySelector(`[data-operator="${id}"]`).scrollIntoView({ block: "nearest" });
}

function rewalk() {
  walk = shownSteps();
  if (!walk.length) { // nothing happened there: show it as it is, among all steps
    state.only = byId("only").checked = false;
    walk = shownSteps();
  }
  byId("slider").max = walk.length;
  steps.hold(walk);
}

function pause() {
  clearInterval(state.timer);
  state.timer = undefined;
  byId("play").classList.remove("playing");
  byId("play").setAttribute("aria-label", "Play");
}

function play() {
  if (placeInWalk(state.step) === walk.length - 1) go(walk[0]);
  byId("play").classList.add("playing");
  byId("play").setAttribute("aria-label", "Pause");
  clearInterval(state.timer);
  state.timer = setInterval(() => {
    move(1);
    if (placeInWalk(state.step) === walk.length - 1) pause();
  }, PACE / Number(byId("speed").value));
}

const toggle = () => (state.timer === undefined ? play() : pause());
const byHand = (action) => () => { pause(); action(); };

// Where a tuple comes into sight: at the selected operator if it comes by there.
function stepOf(tuple) {
  const operator = operators[state.operator];
  const seen = operator && [...operator.arrivals, ...operator.emits].filter((each) => each.tuple === tuple);
  return seen?.length ? Math.min(...seen.map((each) => each.step)) : tuple.first;
}

function found(query) {
  const wanted = query.trim().toLowerCase();
  if (!wanted) return [];
  return tuples.filter((tuple) => `${tuple.text} ${tuple.whole ?? ""}`.toLowerCase().includes(wanted)
    && stepOf(tuple) !== undefined);
}

function showFound() {
  const matches = found(byId("search").value), list = byId("found");
  byId("found-count").textContent = byId("search").value.trim() ? `${matches.length} found` : "";
  list.hidden = !matches.length;
  list.replaceChildren(...matches.slice(0, 50).map((tuple) => make("li", {}, make(
    "button", { type: "button", "data-tuple": tuple.id, onclick: () => { jump(tuple); list.hidden = true; } },
    make("span", {}, tuple.text), make("small", {}, `step ${stepOf(tuple) + 1}`)))));
}

function jump(tuple) {
  pause();
  if (state.only && !walk.includes(stepOf(tuple))) { state.only = byId("only").checked = false; rewalk(); }
  go(stepOf(tuple));
}

function searchKey(event) {
  if (event.key === "Escape") { byId("search").value = ""; showFound(); byId("search").blur(); }
  if (event.key !== "Enter") return;
  const ordered = found(byId("search").value).sort((a, b) => stepOf(a) - stepOf(b));
  if (ordered.length) jump(ordered.find((tuple) => stepOf(tuple) > state.step) ?? ordered[0]);
}

const KEYS = {
  ArrowLeft: byHand(() => move(-1)), ArrowRight: byHand(() => move(1)),
  Home: byHand(() => go(walk[0])), End: byHand(() => go(walk.at(-1))),
  PageUp: byHand(() => moveInput(-1)), PageDown: byHand(() => moveInput(1)),
  ArrowUp: () => select(Math.max(ALL, state.operator - 1)),
  ArrowDown: () => select(Math.min(operators.length - 1, state.operator + 1)),
  " ": toggle, "/": () => byId("search").focus(),
  "+": () => { zoom(0.5); redraw(); }, "-": () => { zoom(2); redraw(); }, 0: () => { zoom(1e18); redraw(); },
};

document.addEventListener("keydown", (event) => {
  const { target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (target.matches("input[type=search], select")) return;
  if (event.key === " " && target.matches("button, input[type=checkbox]")) return;
  if (!KEYS[event.key]) return;
  event.preventDefault();
  KEYS[event.key]();
});

function onStageClick(event) {
  const tuple = event.target.closest("[data-tuple]"), window = event.target.closest("[data-window]");
  const strip = event.target.closest("[data-operator]");
  if (tuple) byHand(() => go(Number(tuple.dataset.step)))();
  else if (window) byHand(() => go(panes[Number(window.dataset.window)].opened))();
  else if (strip) select(Number(strip.dataset.operator));
}

function dragTime(event) {
  if (event.target.closest("[data-tuple], [data-window], .strip") || view.span >= whole()) return;
  const from = event.clientX, start = view.start;
  const drag = (moved) => {
    setView(start - (moved.clientX - from) / scaleOf(), view.span);
    state.dragged = true;
    redraw();
  };
  const drop = () => removeEventListener("pointermove", drag);
  addEventListener("pointermove", drag);
  addEventListener("pointerup", drop, { once: true });
}

fillHeader();
buildLegend();
buildOperators(select);
const steps = new StepList((n) => { pause(); go(n); });
byId("first").addEventListener("click", KEYS.Home);
byId("back").addEventListener("click", KEYS.ArrowLeft);
byId("forward").addEventListener("click", KEYS.ArrowRight);
byId("last").addEventListener("click", KEYS.End);
byId("play").addEventListener("click", toggle);
byId("elsewhere").addEventListener("click", () => select(trace.steps[state.step].operator));
byId("slider").addEventListener("input", () => { pause(); go(walk[Number(byId("slider").value) - 1]); });
byId("speed").addEventListener("change", () => { if (state.timer !== undefined) play(); });
byId("only").addEventListener("change", () => { state.only = byId("only").checked; rewalk(); go(state.step); });
byId("search").addEventListener("input", showFound);
byId("search").addEventListener("keydown", searchKey);
document.addEventListener("click", (event) => { if (!event.target.closest(".search")) byId("found").hidden = true; });
byId("zoom-in").addEventListener("click", KEYS["+"]);
byId("zoom-out").addEventListener("click", KEYS["-"]);
byId("fit").addEventListener("click", KEYS[0]);
stage.addEventListener("click", onStageClick);
stage.addEventListener("pointerdown", dragTime);

if (trace.steps.length) {
  // Begin where there is most to see: at the first operator that has windows of its own.
  select((operators.find((operator) => operator.window && operator.window.size > 1)
    ?? operators.find((operator) => operator.window) ?? { id: ALL }).id);
  new ResizeObserver(() => redraw()).observe(stage);
} else {
  byId("words").textContent = "Nothing happened: the stream is empty.";
}
