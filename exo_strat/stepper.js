// The browser's part of widget.py: shows the version of a program after so many rewrites, with what the last one changed.
// All text goes into the page as text, never as markup.

const ORANGE = "rgba(230,159,0,.3)";
const BLUE = "rgba(86,180,233,.3)";

// The lines after a rewrite.
export function applied(lines, hunks) {
  const after = [];
  let at = 0;
  for (const [start, removed, added] of hunks) {
    after.push(...lines.slice(at, start), ...added);
    at = start + removed;
  }
  return after.concat(lines.slice(at));
}

// The lines before and after a rewrite, each once: [sign, text].
export function marked(lines, hunks) {
  const rows = [];
  let at = 0;
  for (const [start, removed, added] of hunks) {
    rows.push(...lines.slice(at, start).map((text) => [" ", text]));
    rows.push(...lines.slice(start, start + removed).map((text) => ["-", text]));
    rows.push(...added.map((text) => ["+", text]));
    at = start + removed;
  }
  return rows.concat(lines.slice(at).map((text) => [" ", text]));
}

function element(name, parent, style, text) {
  const made = document.createElement(name);
  Object.assign(made.style, style);
  if (text !== undefined) made.textContent = text;
  parent.appendChild(made);
  return made;
}

function button(parent, text, label) {
  const made = element("button", parent, { minWidth: "2.5em", font: "inherit" }, text);
  made.type = "button";
  made.setAttribute("aria-label", label);
  return made;
}

function shownLines(pre, rows) {
  pre.replaceChildren();
  let first = null;
  for (const [sign, text] of rows) {
    const tag = { "-": "del", "+": "ins" }[sign] || "span";
    const background = { "-": ORANGE, "+": BLUE }[sign] || "transparent";
    const line = element(tag, pre, { background, textDecoration: "none", color: "inherit" }, `${sign} ${text}`);
    pre.append("\n");
    if (sign !== " " && first === null) first = line;
  }
  if (first !== null) pre.scrollTop = Math.max(0, first.offsetTop - pre.offsetTop - pre.clientHeight / 3);
}

function render({ model, el }) {
  const film = model.get("film");
  const last = film.steps.length;
  const versions = [film.first];
  const version = (n) => {
    while (versions.length <= n) {
      const done = versions.length - 1;
      versions.push(applied(versions[done], film.steps[done].hunks));
    }
    return versions[n];
  };

  const bar = element("div", el, { display: "flex", gap: ".5em", alignItems: "center", flexWrap: "wrap" });
  const back = button(bar, "◀", "previous rewrite");
  const slider = element("input", bar, { flex: "1 1 12em" });
  Object.assign(slider, { type: "range", min: 0, max: last, step: 1 });
  slider.setAttribute("aria-label", "number of rewrites done");
  const next = button(bar, "▶", "next rewrite");
  const count = element("span", bar, { fontVariantNumeric: "tabular-nums" });
  const op = element("div", el, { fontFamily: "monospace", margin: "4px 0", overflowWrap: "anywhere" });
  op.setAttribute("aria-live", "polite");
  const pre = element("pre", el, {
    margin: "0", maxHeight: "28em", overflow: "auto", color: "inherit", background: "transparent", lineHeight: "1.35",
    position: "relative",
  });
  pre.tabIndex = 0;

  const show = () => {
    const n = Math.min(Math.max(model.get("step"), 0), last);
    slider.value = n;
    back.disabled = n === 0;
    next.disabled = n === last;
    const rest = n === last && film.leftOut ? ` (${film.leftOut} further ones are left out)` : "";
    count.textContent = `${n} of ${last}${rest}`;
    if (n === 0) {
      op.textContent = `${film.name}, as it was`;
      shownLines(pre, film.first.map((text) => [" ", text]));
      return;
    }
    const step = film.steps[n - 1];
    const same = step.hunks.length ? "" : " (the object code reads the same)";
    op.textContent = `${step.op}${step.place ? `  # ${step.place}` : ""}${same}`;
    shownLines(pre, marked(version(n - 1), step.hunks));
  };
  const go = (n) => {
    model.set("step", Math.min(Math.max(n, 0), last));
    model.save_changes();
    show();
  };
  back.addEventListener("click", () => go(model.get("step") - 1));
  next.addEventListener("click", () => go(model.get("step") + 1));
  slider.addEventListener("input", () => go(Number(slider.value)));
  pre.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    go(model.get("step") + by);
  });
  model.on("change:step", show);
  show();
  return () => model.off("change:step", show);
}

export default { render };
