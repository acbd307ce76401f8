// Beside the picture: the sentence, the operators, the steps, the legend.

const ROW = 24;
const TINTS = {
  tuple: "--tuple", arrived: "--tuple", added: "--tuple", watermark: "--mark", reached: "--mark",
  "held back": "--mark", "let by": "--mark", opened: "--open", fired: "--fired",
  "fired again": "--again", purged: "--gone", late: "--late", turned: "--loop",
};
const DONE = {
  tuple: "sends", arrived: "arrives", added: "into", watermark: "sends watermark",
  reached: "watermark", "held back": "watermark held back", "let by": "loop's watermark", opened: "opens",
  fired: "fires", "fired again": "fires again", purged: "gone", late: "late", turned: "comes round",
};

// A step in few words: what tells it from the steps beside it comes first.
function briefly(step) {
  const pane = panes[step.window], tuple = tuples[step.tuple], source = operators[step.operator].source;
  const done = source && step.kind === "tuple" ? "comes in" : source ? "watermark" : DONE[step.kind];
  const values = tuple?.text.replace(/^\(time=[^,)]*(, )?|\)$/g, "").replace(/(^|, )\w+=/g, "$1");
  return `${done} ${pane ? pane.key && bareLabelOf(pane) : values ?? ""}`;
}

// The time that a step is about; of a long window its left end.
function timeOf(step, room) {
  const pane = panes[step.window];
  if (!pane) return shownTime(step.tuple === undefined ? when(step.watermark) : tuples[step.tuple].time);
  return widthOf(pane.span, 12.5) <= room ? pane.span : `${pane.span.split(",")[0]}…)`;
}

function fillHeader() {
  byId("title").textContent = trace.title;
  byId("subtitle").textContent = trace.subtitle;
  if (trace.stopped) {
    byId("stopped").textContent = trace.stopped;
    byId("stopped").hidden = false;
  }
}

function sayStep(n) {
  const step = trace.steps[n];
  byId("words").textContent = step.words;
  byId("words").classList.toggle("long", step.words.length > 200);
  const cause = trace.causes[step.cause];
  byId("because").textContent = cause ? `Input ${step.cause + 1}: ${cause.source} ${cause.text}` : "";
}

function buildOperators(select) {
  const list = byId("operators");
  const entry = (id, name, inside) => {
    const button = make("button", { type: "button", "data-operator": id, class: inside ? "inside" : "", onclick: () => select(id) },
      make("span", { class: "name" }, name), make("span", { class: "stand" }));
    return make("li", {}, button);
  };
  list.append(entry(ALL, "All operators", false));
  let shown = "";
  for (const operator of operators) {
    const title = operator.frames.join(" = ");
    if (title && title !== shown) list.append(make("li", { class: "frame" }, title));
    shown = title;
    list.append(entry(operator.id, `${operator.name}${operator.loops ? " ↻" : ""}`, Boolean(title)));
  }
}

function showOperators(n, selected) {
  const acting = trace.steps[n].operator;
  for (const button of byId("operators").querySelectorAll("button")) {
    const id = Number(button.dataset.operator);
    button.setAttribute("aria-pressed", String(id === selected));
    button.classList.toggle("acting", id === acting);
    if (id === ALL) continue;
    const operator = operators[id];
    const open = operator.panes.filter((pane) => ["open", "fired", "fired again"].includes(stateAt(pane, n))).length;
    const late = countAt(operator.lates, n);
    const mark = markAt(operator, n);
    const stand = [mark === -Infinity ? "no watermark yet" : `watermark ${mark === Infinity ? "∞" : shownTime(mark)}`];
    if (operator.window) stand.push(`${open} open`);
    const told = button.querySelector(".stand");
    const parts = stand.map((each) => make("span", {}, each));
    if (late) parts.push(make("span", { class: "late" }, `${late} late`));
    told.replaceChildren(...parts.flatMap((each, at) => (at ? [" · ", each] : [each])));
  }
}

// The picture may be of another operator than the sentence: then it says so.
function showElsewhere(n, selected) {
  const acting = trace.steps[n].operator, told = byId("elsewhere");
  const away = selected !== ALL && selected !== acting;
  told.style.visibility = away ? "" : "hidden"; // it keeps its place, so that nothing jumps
  told.textContent = away ? `This step is at ${operators[acting].name}; the picture is of ${operators[selected].name}.` : "\u00a0";
}

function showFacts(n, selected) {
  const facts = byId("facts");
  if (selected === ALL) {
    facts.replaceChildren("Every operator, inputs first, each with ", make("b", {}, "its own watermark"), ". Choose one to see its windows.");
    return;
  }
  const operator = operators[selected];
  const wanted = ["window", "period", "key", "lateness", "watermark distance"];
  const told = wanted.filter((name) => operator.details[name]).map((name) => `${name} ${operator.details[name]}`);
  const many = [`${countAt(operator.emits, n)} sent on`];
  if (!operator.source) many.unshift(`${countAt(operator.arrivals, n)} arrived`);
  if (operator.drops) many.push(`${countAt(operator.lates, n)} late`);
  if (operator.source) many.splice(0, 9, `${countAt(operator.emits, n)} came in`);
  const said = ` · ${[...many, ...told].join(" · ")}`; // what changes first: the end may be cut off
  facts.title = `${operator.name}${said}${operator.written ? `\n${operator.written}` : ""}`;
  facts.replaceChildren(make("b", {}, operator.name), said);
}

function buildLegend() {
  const sign = (...parts) => draw("svg", { width: 20, height: 14 }, ...parts);
  const ring = (classes) => sign(draw("circle", { class: `dot ${classes}`, cx: 9, cy: 7, r: 4 }));
  const bar = (classes) => sign(draw("g", { class: `window ${classes}` }, draw("rect", { x: 1, y: 2, width: 17, height: 10, rx: 3 })));
  const line = sign(draw("line", { class: "mark", x1: 9, x2: 9, y1: 0, y2: 14 }));
  const entries = [
    [line, "watermark: no tuple left of it is expected"], [ring(""), "tuple"], [ring("behind"), "behind the watermark"],
    [ring("late"), "late: falls out"], [ring("turned"), "came round the loop"], [ring("out"), "sent on"], [bar(""), "open"], [bar("fired"), "fired"], [bar("again"), "fired again"], [bar("gone"), "gone"],
    [sign(draw("g", { class: "window" }, draw("path", { class: "kept", d: "M1,7 H17" }), draw("path", { class: "kept end", d: "M17,2 v10" }))), "kept for its lateness"],
  ];
  byId("legend").append(...entries.map(([mark, text]) => make("li", {}, mark, text)));
}

// The list of steps holds only the rows in sight: a trace may have many thousands.
class StepList {
  constructor(go) {
    this.host = byId("steps");
    this.space = make("div", { class: "space" });
    this.host.append(this.space);
    this.items = [];
    this.rowOf = new Map();
    this.now = 0;
    this.go = go;
    this.host.addEventListener("scroll", () => this.draw());
  }

  hold(steps) {
    this.items = [];
    this.rowOf.clear();
    let cause;
    for (const n of steps) {
      if (trace.steps[n].cause !== cause) this.items.push({ cause: (cause = trace.steps[n].cause) });
      this.rowOf.set(n, this.items.length);
      this.items.push({ step: n });
    }
    this.space.style.height = `${this.items.length * ROW + 8}px`;
  }

  show(n) {
    this.now = n;
    const top = (this.rowOf.get(n) ?? 0) * ROW, { host } = this;
    if (top < host.scrollTop + ROW) host.scrollTop = Math.max(0, top - 3 * ROW);
    else if (top + 3 * ROW > host.scrollTop + host.clientHeight) host.scrollTop = top + 4 * ROW - host.clientHeight;
    this.draw();
  }

  draw() {
    const first = Math.max(0, Math.floor(this.host.scrollTop / ROW) - 4);
    const many = Math.ceil(this.host.clientHeight / ROW) + 8;
    this.space.replaceChildren(...this.items.slice(first, first + many).map((item, at) => this.row(item, first + at)));
  }

  row(item, at) {
    if (item.cause !== undefined) {
      const cause = trace.causes[item.cause];
      const made = make("div", { class: "row cause", role: "presentation" }, make("span", { class: "text" }, `${cause.source} ${cause.text}`));
      made.style.top = `${at * ROW}px`;
      return made;
    }
    const step = trace.steps[item.step], now = item.step === this.now;
    const tint = make("i");
    tint.style.setProperty("--tint", `var(${TINTS[step.kind]})`);
    const made = make("div", {
      class: `row${now ? " now" : item.step > this.now ? " after" : ""}`, role: "option", "aria-selected": String(now),
      "data-step": item.step, title: step.words, onclick: () => this.go(item.step),
    }, tint, make("span", { class: "where" }, operators[step.operator].name), make("span", { class: "text" }, briefly(step)),
    make("span", { class: "time" }, timeOf(step, this.host.clientWidth * 0.34)));
    made.style.top = `${at * ROW}px`;
    return made;
  }
}
