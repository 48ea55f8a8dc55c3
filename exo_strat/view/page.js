"use strict";
// The films of a procedure and of those that it calls: see film.py for what the data mean. Nothing is loaded and nothing
// leaves the page.
const DATA = JSON.parse(document.getElementById("data").textContent);
const [SAME, EDITED, COPIED, NEW] = [0, 1, 2, 3];
const MARKS = {new: "+", edited: "~", moved: "⇅", copied: "⇉", gone: "−"};
const WORDS = {new: "new", edited: "edited", moved: "moved", copied: "a copy", gone: "gone"};
const MOST_HITS = 200, PER_SECOND = 6;
const $ = (id) => document.getElementById(id);
const escaped = (s) => s.replace(/[&<>"]/g, (c) => ({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})[c]);

// -- versions -------------------------------------------------------------------------------------------------------

// Of each version: the text of each line, the line it was in the version before, and what it was there.
function decoded(frames) {
  const versions = [];
  for (const [, , runs] of frames) {
    const old = versions[versions.length - 1], text = [], from = [], was = [];
    for (let r = 0; r < runs.length; r += 3) {
      const [kind, a, b] = [runs[r], runs[r + 1], runs[r + 2]];
      if (kind === SAME) {
        for (let i = a; i < a + b; i++) { text.push(old.text[i]); from.push(i); was.push(SAME); }
      } else { text.push(b); from.push(a); was.push(kind); }
    }
    versions.push({text, from, was});
  }
  return versions;
}

// The film at hand, and what is made of its data when it is first looked at.
const READY = new Map();
let FILM, VERSIONS, LAST, CHANGES, STEPS, ROOTS, OPEN, MADE, REFUSED;
function ready(n) {
  if (!READY.has(n)) {
    const film = DATA.films[n], versions = decoded(film.frames);
    READY.set(n, {film, versions, changes: new Map(), ...tree(film, versions.length - 1)});
  }
  return READY.get(n);
}
function load(n) {
  const f = ready(n);
  [FILM, VERSIONS, LAST, CHANGES, STEPS, ROOTS, OPEN, MADE] =
    [f.film, f.versions, f.versions.length - 1, f.changes, f.steps, f.roots, f.open, f.made];
  REFUSED = STEPS.filter((s) => s.refusal >= 0);
  Object.assign(state, {film: n, k: 0, line: -1, refusal: -1});
  $("slider").max = LAST;
  $("film-name").value = n;
  drawTree();
}
const textOf = (k, i) => FILM.texts[VERSIONS[k].text[i]];
const indent = (s) => s.length - s.trimStart().length;

// The lines that keep their order: a longest rising run of where they come from. The others that stay were moved.
function inOrder(from, stays) {
  const tails = [], before = new Int32Array(from.length).fill(-1);
  for (let i = 0; i < from.length; i++) {
    if (!stays(i)) continue;
    let lo = 0, hi = tails.length;
    while (lo < hi) { const mid = (lo + hi) >> 1; if (from[tails[mid]] < from[i]) lo = mid + 1; else hi = mid; }
    before[i] = lo ? tails[lo - 1] : -1;
    tails[lo] = i;
  }
  const kept = new Set();
  for (let i = tails.length ? tails[tails.length - 1] : -1; i >= 0; i = before[i]) kept.add(i);
  return kept;
}

// What a version changed: of each line its kind ("" if it is as it was), and the lines that are gone, by the line before
// which they stood.
function changes(k) {
  if (!CHANGES.has(k)) CHANGES.set(k, changesOf(k));
  return CHANGES.get(k);
}
function changesOf(k) {
  const v = VERSIONS[k], kinds = [], gone = new Map();
  if (k === 0) return {kinds: v.text.map(() => ""), gone};
  const stays = (i) => v.was[i] === SAME || v.was[i] === EDITED;
  const kept = inOrder(v.from, stays), stayed = new Set();
  for (let i = 0; i < v.text.length; i++) {
    if (stays(i)) stayed.add(v.from[i]);
    const old = stays(i) ? textOf(k - 1, v.from[i]) : "", now = textOf(k, i);
    if (v.was[i] === NEW) kinds.push("new");
    else if (v.was[i] === COPIED) kinds.push("copied");
    else if (old.trim() !== now.trim()) kinds.push("edited");
    else kinds.push(kept.has(i) && indent(old) === indent(now) ? "" : "moved");
  }
  const places = new Map();
  v.from.forEach((a, i) => { if (kept.has(i)) places.set(a, i); });
  let before = v.text.length;
  for (let a = VERSIONS[k - 1].text.length - 1; a >= 0; a--) {
    if (places.has(a)) before = places.get(a);
    else if (!stayed.has(a)) gone.set(before, [a, ...(gone.get(before) ?? [])]);
  }
  return {kinds, gone};
}

// -- one line -------------------------------------------------------------------------------------------------------

const TOKEN = /(\b(?:for|in|seq|par|vec|if|elif|else|assert|def|pass|min|max|and|or|not)\b)|(\b\d[\w.]*)/g;
const coloured = (s) => escaped(s).replace(TOKEN, (t, word) => `<span class="${word ? "k" : "n"}">${t}</span>`);

// An edited line: what differs from the line that it was is marked, in whole words.
function marked(old, now) {
  let a = 0, z = 0;
  const most = Math.min(old.length, now.length);
  while (a < most && old[a] === now[a]) a++;
  while (z < most - a && old[old.length - 1 - z] === now[now.length - 1 - z]) z++;
  const inWord = (s, i) => i > 0 && i < s.length && /\w\w/.test(s.slice(i - 1, i + 1));
  while (inWord(now, a) || inWord(old, a)) a--;
  while (inWord(now, now.length - z) || inWord(old, old.length - z)) z--;
  const inside = now.slice(a, now.length - z);
  return coloured(now.slice(0, a)) + (inside ? `<mark>${escaped(inside)}</mark>` : "") + coloured(now.slice(now.length - z));
}

// -- the state ------------------------------------------------------------------------------------------------------

const state = {film: 0, k: 0, line: -1, tab: "Step", refusal: -1, timer: 0};

function go(k, line = -1, tab = state.tab) {
  const to = Math.max(0, Math.min(LAST, k));
  if (line < 0 && state.line >= 0) line = to > state.k ? forward(state.k, state.line, to) : backward(state.k, state.line, to);
  Object.assign(state, {k: to, line, tab});
  if ($("main").classList.contains("code")) showCode(false);
  draw();
}

// Where a line of a version is in a later one, and in an earlier one: -1 if it is not there.
function forward(k, i, to) {
  for (; k < to && i >= 0; k++) { const v = VERSIONS[k + 1]; i = v.from.findIndex((a, j) => a === i && v.was[j] <= EDITED); }
  return i;
}
function backward(k, i, to) {
  for (; k > to && i >= 0; k--) i = VERSIONS[k].was[i] === NEW ? -1 : VERSIONS[k].from[i];
  return i;
}

function draw() {
  const {k, line} = state, [op, at] = FILM.frames[k], {kinds, gone} = changes(k), out = [];
  const row = (cls, mark, number, html, i) =>
    out.push(`<span class="l ${cls}"${i >= 0 ? ` data-i="${i}"` : ""}><i>${mark}</i><b>${number}</b>${html || " "}</span>`);
  for (let i = 0; i <= kinds.length; i++) {
    for (const a of gone.get(i) ?? []) row("gone", MARKS.gone, "", escaped(textOf(k - 1, a)), -1);
    if (i === kinds.length) break;
    const kind = kinds[i], now = textOf(k, i), old = kind === "edited" ? textOf(k - 1, VERSIONS[k].from[i]) : "";
    const html = kind === "edited" ? marked(" ".repeat(indent(now)) + old.trim(), now) : coloured(now);
    row(`${kind} ${i === line ? "selected" : ""} ${nextAt(k) === i ? "here" : ""}`, MARKS[kind] ?? "", i + 1, html, i);
  }
  $("lines").innerHTML = out.join("");
  $("slider").value = k;
  $("count").textContent = `${k} of ${LAST}`;
  $("slider").setAttribute("aria-valuetext", `${k} of ${LAST}: ${DATA.words[op]}`);
  const film = DATA.films.length > 1 ? `of=${state.film}&` : "";
  history.replaceState(null, "", `#${film}step=${k}${line >= 0 ? `&line=${line + 1}` : ""}`);
  showNow();
  drawSide();
  const first = $("lines").querySelector(line >= 0 ? ".selected" : ".new, .edited, .moved, .copied, .gone") ??
    $("lines").querySelector(`[data-i="${VERSIONS[k].from.indexOf(at)}"]`);  // nothing shows: where it acted
  if (first) reveal(first, $("film"));
}

const nextAt = (k) => (k < LAST ? FILM.frames[k + 1][1] : -1);

// Scrolls a box, and no other, so that something in it is seen.
function reveal(el, box) {
  const a = el.getBoundingClientRect(), b = box.getBoundingClientRect();
  if (box.scrollHeight > box.clientHeight && (a.top < b.top + 10 || a.bottom > b.bottom - 10))
    box.scrollTop += a.top - b.top - b.height / 3;
}

// -- the tree of what was tried -------------------------------------------------------------------------------------

// The steps of a film with what is inside of each, and the deepest step that made each version.
function tree(film, last) {
  const steps = film.steps.map(([depth, op, place, ms, questions, first, end, refusal, notes, failed], id) =>
    ({id, depth, op: DATA.words[op], place: DATA.words[place], ms, questions, first, last: end, refusal, notes, failed, inside: []}));
  const roots = [], open = [], made = new Int32Array(last + 1).fill(-1);
  for (const s of steps) {
    open.length = s.depth;
    (s.depth ? open[s.depth - 1].inside : roots).push(s);
    s.up = s.depth ? open[s.depth - 1] : null;
    open.push(s);
    if (s.first >= 0 && s.last > s.first) for (let k = s.first + 1; k <= s.last; k++) made[k] = s.id;
  }
  return {steps, roots, made, open: new Set(steps.filter((s) => s.depth < 1).map((s) => s.id))};
}

const short = (s, n = 90) => (s.length > n ? s.slice(0, n - 1) + "…" : s).replace(/\s+/g, " ");

function node(s) {
  const fold = s.inside.length ? `<button class="fold" aria-label="Unfold" aria-expanded="${OPEN.has(s.id)}">${OPEN.has(s.id) ? "▾" : "▸"}</button>` : '<span class="fold"></span>';
  const many = [s.ms >= 1 ? `${Math.round(s.ms)} ms` : "", s.last > s.first + 1 ? `${s.last - s.first}` : ""].filter(Boolean).join(" · ");
  const state = s.failed ? "✗" : s.last < 0 ? "↶" : s.last > s.first ? "" : "·";
  const inside = OPEN.has(s.id) && s.inside.length ? `<ul>${s.inside.map(node).join("")}</ul>` : "";
  return `<li data-id="${s.id}"><div class="${s.failed ? "no" : ""}" title="${escaped(short(s.op, 400))}">${fold}<span class="op">${state} ${escaped(short(s.op))}</span><span class="count">${many}</span></div>${inside}</li>`;
}
function drawTree() {
  $("tree").innerHTML = `<ul>${ROOTS.map(node).join("")}</ul>`;
  showNow();
}
function toggle(id, on = !OPEN.has(id)) {
  if (on) OPEN.add(id); else OPEN.delete(id);
  const li = $("tree").querySelector(`li[data-id="${id}"]`);
  if (li) li.outerHTML = node(STEPS[id]);
  showNow();
}
function showNow() {
  for (const el of $("tree").querySelectorAll(".now")) el.classList.remove("now");
  let s = STEPS[state.refusal >= 0 ? state.refusal : MADE[state.k]];
  for (; s; s = s.up) {
    const li = $("tree").querySelector(`li[data-id="${s.id}"] > div`);
    if (li) { li.classList.add("now"); reveal(li, $("tree")); return; }
  }
}
function unfolded(s) {
  for (let up = s.up; up; up = up.up) OPEN.add(up.id);
  drawTree();
}
$("tree").addEventListener("click", (e) => {
  const li = e.target.closest("li");
  if (!li) return;
  const s = STEPS[+li.dataset.id];
  if (e.target.closest(".fold") && s.inside.length) return toggle(s.id);
  pick(s);
});
function pick(s) {
  state.refusal = s.failed ? s.id : -1;
  if (s.last > s.first && s.first >= 0) go(s.last, -1, "Step");
  else if (s.first >= 0) go(s.first, -1, s.failed ? "Refusals" : "Step");
  else { state.tab = s.failed ? "Refusals" : "Step"; drawSide(); showNow(); }
}

// -- beside the program ---------------------------------------------------------------------------------------------

const TABS = {
  Step: aboutStep, Statement: aboutStatement, Refusals: aboutRefusals,
  ...Object.fromEntries(DATA.panels.map((p) => [p.title, () => p.html])),
};
function drawSide() {
  $("tabs").innerHTML = Object.keys(TABS).map((name) => {
    const n = name === "Refusals" ? ` (${REFUSED.length})` : "";
    return `<button role="tab" data-tab="${escaped(name)}" aria-selected="${name === state.tab}">${escaped(name)}${n}</button>`;
  }).join("");
  $("about").innerHTML = TABS[state.tab]();
}
$("tabs").addEventListener("click", (e) => {
  const tab = e.target.closest("button");
  if (tab) { state.tab = tab.dataset.tab; drawSide(); }
});

const nameOf = (op) => (op.match(/^[A-Za-z_]\w*/) ?? [""])[0];

function aboutStep() {
  const [op, at, , proved] = FILM.frames[state.k];
  if (state.k === 0)
    return `<h2>The original</h2><p>${LAST} rewrites follow. Arrow keys step through them; a click on a line tells where it comes from and where it goes.</p>` + failed();
  const text = DATA.words[op], doc = Object.hasOwn(DATA.docs, nameOf(text)) ? DATA.docs[nameOf(text)] : "";
  let out = `<h2>Rewrite ${state.k}</h2><p class="mono wrap">${escaped(text)}</p>`;
  if (doc) out += `<p class="wrap">${escaped(doc).replace(/`([^`]+)`/g, '<span class="mono">$1</span>')}</p>`;
  out += `<p class="dim">At ${at >= 0 ? `line ${at + 1}: <span class="mono wrap">${escaped(textOf(state.k - 1, at).trim())}</span>` : "the procedure"}</p>`;
  const made = STEPS[MADE[state.k]];
  const path = [];
  for (let s = made; s; s = s.up) path.unshift(s);
  if (path.length > 1)
    out += `<h2>Inside of</h2><ol class="events">${path.slice(0, -1).map((s) => `<li data-step="${s.id}" class="mono">${escaped(short(s.op, 120))}</li>`).join("")}</ol>`;
  if (made?.notes.length) out += `<p class="mono wrap">${escaped(made.notes.join("\n"))}</p>`;
  out += "<h2>What it had to prove</h2>";
  if (proved === null) out += `<p class="dim">Not known: the rewrites were not made again for this film, or could not be. <code>exo-strat view</code> does so where it can.</p>`;
  else if (!proved.length) out += "<p>The solver was asked nothing: the form of the code, or what was known before, was enough.</p>";
  else {
    const [yes, no, open] = ["proved", "refuted", "undecided"].map((answer) => proved.filter((o) => o[1] === answer));
    if (yes.length) out += asked("proved", yes);
    const instead = "and it took another way, or left things as they are.</p>";
    if (no.length || open.length) out += "<h2>What it need not prove</h2>";
    if (no.length) out += `<p>The answer was no, ${instead}` + asked("refuted", no);
    if (open.length) out += `<p>The solver could not tell, ${instead}` + asked("undecided", open);
  }
  if (made && made.ms) out += `<p class="dim">The step took ${made.ms.toFixed(1)} ms.</p>`;
  return out + (state.k === LAST ? failed() : "");
}
const asked = (head, all) => `<table><tr><th>${head}<th class="r">times<th class="r">ms</tr>${all.map(([words, , n, ms]) =>
  `<tr><td>${escaped(DATA.words[words])}<td class="r">${n}<td class="r">${ms.toFixed(1)}</tr>`).join("")}</table>`;
const failed = () => (FILM.failure ? `<h2>The strategy was refused</h2><p class="mono wrap">${escaped(FILM.failure)}</p>` : "");

// The life of a line: what happened to it and to what it comes from, step by step, then what becomes of it.
function aboutStatement() {
  if (state.line < 0) return "<p>Click a line of the program.</p>";
  const past = [], future = [];
  let [k, i] = [state.k, state.line];
  for (;;) {
    const kind = changes(k).kinds[i];
    if (kind || k === 0) past.push([k, i, kind]);
    if (k === 0 || VERSIONS[k].was[i] === NEW) break;
    i = VERSIONS[k].from[i]; k--;
  }
  let lines = new Set([state.line]);
  for (k = state.k; k < LAST && lines.size; k++) {
    const v = VERSIONS[k + 1], next = new Set(), stayed = new Set(), {kinds} = changes(k + 1);
    for (let j = 0; j < v.from.length; j++) {
      if (v.was[j] === NEW || !lines.has(v.from[j])) continue;
      next.add(j);
      if (v.was[j] <= EDITED) stayed.add(v.from[j]);
      if (kinds[j] && future.length < MOST_HITS) future.push([k + 1, j, kinds[j]]);
    }
    for (const a of lines) if (!stayed.has(a) && future.length < MOST_HITS) future.push([k + 1, a, "gone"]);
    lines = next;
  }
  const shown = ([k, i, kind]) => {
    const words = k === 0 ? "in the original" : WORDS[kind];
    const line = kind === "gone" ? textOf(k - 1, i) : textOf(k, i);
    return `<li data-k="${k}" data-i="${kind === "gone" ? -1 : i}"><b>${k}</b> ${words}${k ? ` by <span class="mono">${escaped(short(DATA.words[FILM.frames[k][0]], 70))}</span>` : ""}<br><span class="mono dim">${escaped(line.trim())}</span></li>`;
  };
  const many = lines.size > 1 ? `${lines.size} lines of the last version come` : "One line of the last version comes";
  const end = lines.size ? `${many} from it.` : "Nothing of it is in the last version.";
  const callee = FILM.calls[forward(state.k, state.line, LAST)] ?? -1;
  const films = callee >= 0 ? `<p><button data-film="${callee}">How ${escaped(DATA.films[callee].name)} was made</button></p>` : "";
  return `<h2>Line ${state.line + 1} in version ${state.k}</h2><p class="mono wrap">${escaped(textOf(state.k, state.line).trim())}</p>${films}
    <h2>Where it comes from</h2><ol class="events">${past.reverse().map(shown).join("")}</ol>
    <h2>Where it goes</h2><ol class="events">${future.map(shown).join("") || "<li>It stays as it is.</li>"}</ol><p>${end}</p>`;
}

function aboutRefusals() {
  if (!REFUSED.length) return "<p>Nothing was refused.</p>";
  const list = REFUSED.map((s) => `<li data-step="${s.id}"><span class="mono">${escaped(short(s.op, 80))}</span><br><span class="dim">${escaped(short(FILM.refusals[s.refusal].reason, 120))}</span></li>`);
  const s = STEPS[state.refusal];
  if (!s || s.refusal < 0) return `<h2>What was refused</h2><ol class="events">${list.join("")}</ol>`;
  const {reason, place, picture} = FILM.refusals[s.refusal];
  return `<h2>Refused</h2><p class="mono wrap">${escaped(s.op)}</p><p class="wrap">${escaped(reason)}</p>${picture}
    ${place ? `<pre>${escaped(place)}</pre>` : ""}<p><button data-step="-1">All refusals</button></p>`;
}

$("about").addEventListener("click", (e) => {
  const el = e.target.closest("[data-step], [data-k], [data-film]");
  if (!el) return;
  if (el.dataset.film) { load(+el.dataset.film); return go(LAST, -1, "Step"); }
  if (el.dataset.k) return go(+el.dataset.k, +el.dataset.i, "Statement");
  if (+el.dataset.step < 0) { state.refusal = -1; return drawSide(); }
  const s = STEPS[+el.dataset.step];
  unfolded(s);
  pick(s);
});
$("lines").addEventListener("click", (e) => {
  const el = e.target.closest("[data-i]");
  if (el && !String(getSelection())) go(state.k, +el.dataset.i, "Statement");
});

// -- C and assembly -------------------------------------------------------------------------------------------------

const {c, procs, origins, assembly, sources, note} = DATA.code;
function showCode(on) {
  $("main").classList.toggle("code", on);
  $("code").setAttribute("aria-pressed", on);
  if (on && drawn !== state.film) drawCode();
}
let drawn = -1;
function drawCode() {
  drawn = state.film;
  const column = (title, name, lines) => `<div><h2>${title}</h2><pre>${lines.map((s, i) =>
    `<span class="l" data-${name}="${i}"><b>${i + 1}</b>${escaped(s) || " "}</span>`).join("")}</pre></div>`;
  const last = VERSIONS[LAST].text.map((_, i) => textOf(LAST, i));
  $("listing").innerHTML = column("Object code", "o", last) + column("C", "c", c) +
    (assembly.length ? column("Assembly", "a", assembly) : `<div><h2>Assembly</h2><p class="wrap">${escaped(note)}</p></div>`);
}
$("listing").addEventListener("click", (e) => {
  const el = e.target.closest(".l");
  if (!el || String(getSelection())) return;
  const {o, c: inC, a} = el.dataset;
  const inSource = (set) => new Set(origins.flatMap((x, i) => (procs[i] === state.film && set.has(x) ? [i] : [])));
  const inAssembly = (set) => new Set(sources.flatMap((x, i) => (set.has(x) ? [i] : [])));
  let cs, os, as;
  if (o !== undefined) { os = new Set([+o]); cs = inSource(os); as = inAssembly(cs); }
  else {
    const line = inC !== undefined ? +inC : sources[+a];
    if (origins[line] >= 0 && procs[line] !== state.film) {  // it is of another procedure
      const column = inC !== undefined ? `[data-c="${line}"]` : `[data-a="${a}"]`;
      load(procs[line]);
      go(LAST);
      showCode(true);
      return $("listing").querySelector(column).click();
    }
    cs = new Set([line]);
    os = new Set([...cs].map((i) => origins[i]).filter((x) => x >= 0));
    as = inC !== undefined ? inAssembly(cs) : new Set([+a, ...(line >= 0 ? inAssembly(cs) : [])]);
  }
  for (const x of $("listing").querySelectorAll(".selected")) x.classList.remove("selected");
  for (const [name, set] of [["o", os], ["c", cs], ["a", as]]) {
    let first = true;
    for (const i of set) {
      const x = $("listing").querySelector(`[data-${name}="${i}"]`);
      if (!x) continue;
      x.classList.add("selected");
      if (first && x !== el) reveal(x, x.closest("div"));
      first = false;
    }
  }
});

// -- search ---------------------------------------------------------------------------------------------------------

function search(words) {
  const wanted = words.toLowerCase(), has = (s) => s.toLowerCase().includes(wanted), hits = [];
  const order = [state.film, ...DATA.films.map((_, n) => n).filter((n) => n !== state.film)];
  for (const n of order) if (hits.length < MOST_HITS) hits.push(...searched(n, has));
  return hits.slice(0, MOST_HITS);
}
function searched(n, has) {
  const {film, versions, steps} = ready(n), hits = [];
  const of = n === state.film ? "" : `${film.name}: `, texts = new Set(film.texts.flatMap((s, t) => (has(s) ? [t] : [])));
  const textAt = (k, i) => film.texts[versions[k].text[i]].trim();
  versions.forEach((v, k) => {
    if (hits.length >= MOST_HITS) return;
    const op = DATA.words[film.frames[k][0]];
    if (has(op)) hits.push({n, k, i: -1, what: `${of}step`, text: op});
    v.text.forEach((t, i) => {
      if (!texts.has(t) || v.was[i] === SAME || (v.was[i] === EDITED && textAt(k, i) === textAt(k - 1, v.from[i]))) return;
      hits.push({n, k, i, what: of + (k ? `comes in by ${short(op, 50)}` : "in the original"), text: textAt(k, i)});
    });
  });
  for (const s of steps)
    if (s.refusal >= 0 && (has(s.op) || has(film.refusals[s.refusal].reason))) hits.push({n, step: s.id, what: `${of}refused`, text: short(s.op, 100)});
  return hits;
}
$("search").addEventListener("input", () => {
  const words = $("search").value.trim();
  $("hits").hidden = !words;
  if (!words) return;
  const found = search(words);
  $("hits").innerHTML = found.length
    ? `<ol class="events">${found.map((h) => `<li tabindex="0" data-n="${h.n}" ${h.step !== undefined ? `data-step="${h.step}"` : `data-k="${h.k}" data-i="${h.i}"`}><b>${h.k ?? ""}</b> <span class="dim">${escaped(h.what)}</span><br><span class="mono">${escaped(short(h.text, 110))}</span></li>`).join("")}</ol>`
    : "<p>Nothing is called so.</p>";
});
function chosen(el) {
  if (!el) return;
  $("hits").hidden = true;
  if (+el.dataset.n !== state.film) load(+el.dataset.n);
  if (el.dataset.step) { const s = STEPS[+el.dataset.step]; unfolded(s); pick(s); }
  else { state.refusal = -1; go(+el.dataset.k, +el.dataset.i, +el.dataset.i >= 0 ? "Statement" : "Step"); }
}
$("hits").addEventListener("click", (e) => chosen(e.target.closest("li")));
$("hits").addEventListener("keydown", (e) => { if (e.key === "Enter") chosen(e.target.closest("li")); });
$("search").addEventListener("keydown", (e) => {
  if (e.key === "Enter") chosen($("hits").querySelector("li"));
  if (e.key === "Escape") { $("search").value = ""; $("hits").hidden = true; $("search").blur(); }
});

// -- moving ---------------------------------------------------------------------------------------------------------

function play(on) {
  clearInterval(state.timer);
  state.timer = on ? setInterval(() => (state.k < LAST ? go(state.k + 1) : play(false)), 1000 / PER_SECOND) : 0;
  $("play").textContent = on ? "■" : "▶▶";
  $("play").setAttribute("aria-label", on ? "Stop" : "Play");
}
function theme(name) {
  document.documentElement.dataset.theme = name;
  try { localStorage.setItem("theme", name); } catch { /* a page in a file may have no storage */ }
}
const step = (k) => { state.refusal = -1; go(k); };
const ACTIONS = {
  ArrowRight: () => step(state.k + 1), ArrowLeft: () => step(state.k - 1), Home: () => step(0), End: () => step(LAST),
  PageDown: () => step(state.k + 10), PageUp: () => step(state.k - 10), " ": () => play(!state.timer),
  "/": () => $("search").focus(), t: () => $("theme").click(), c: () => $("code").click(),
};
document.addEventListener("keydown", (e) => {
  const typing = e.target.matches("input[type=search], select"), held = e.ctrlKey || e.metaKey || e.altKey;
  const taken = e.key === " " && e.target.matches("button");
  if (typing || held || taken || !ACTIONS[e.key]) return;
  e.preventDefault();
  ACTIONS[e.key]();
});
$("film-name").innerHTML = DATA.films.map((f, n) => `<option value="${n}">${escaped(f.name)}, ${f.frames.length - 1} rewrites</option>`).join("");
$("film-name").hidden = DATA.films.length < 2;
$("film-name").addEventListener("change", () => { load(+$("film-name").value); go(0); });
$("slider").addEventListener("input", () => step(+$("slider").value));
for (const [id, k] of [["first", () => 0], ["back", () => state.k - 1], ["next", () => state.k + 1], ["last", () => LAST]])
  $(id).addEventListener("click", () => step(k()));
$("play").addEventListener("click", () => play(!state.timer));
$("theme").addEventListener("click", () => theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
$("code").addEventListener("click", () => showCode(!$("main").classList.contains("code")));
$("code").hidden = !c.length;
$("legend").innerHTML = Object.entries(MARKS).map(([kind, mark]) => `<span><span class="${kind}">${mark}</span> ${WORDS[kind]}</span>`).join("") + "<span>▏ where the next rewrite acts</span>";
let saved = null;
try { saved = localStorage.getItem("theme"); } catch { /* as above */ }
theme(saved ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
function visit() {
  const place = new URLSearchParams(location.hash.slice(1));  // which anybody may have written
  const number = (name) => Math.max(0, parseInt(place.get(name)) || 0);
  load(Math.min(DATA.films.length - 1, number("of")));
  const k = Math.min(LAST, number("step")), line = number("line") - 1;
  go(k, line < VERSIONS[k].text.length ? line : -1);
}
addEventListener("hashchange", visit);
visit();
