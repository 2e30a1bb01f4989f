// The map of the map page: what is drawn, hidden, emphasised, moved. The page puts its scripts into
// one function (see map_html.py). They work on the numbers in the page alone and fetch nothing.
// Names reach the document through textContent only.
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const look = JSON.parse(document.getElementById("look").textContent);
const byId = (id) => document.getElementById(id);
const viewport = byId("map"), svg = viewport.querySelector("svg");
const NS = "http://www.w3.org/2000/svg";
const metrics = new Map(data.metrics.map((metric) => [metric.key, metric]));
const START = "▶ start", END = "■ end";
const sourceOf = (e) => (data.edges[e][0] === null ? "s" : String(data.edges[e][0]));
const targetOf = (e) => (data.edges[e][1] === null ? "e" : String(data.edges[e][1]));
const nameOf = (place, none) => (place === null ? none : data.activities[place]);
const say = (text) => { byId("details").textContent = text; };

// What is drawn, found once.
const found = (kind, mark) => new Map([...svg.querySelectorAll("." + kind)].map((g) => [g.dataset[mark], g]));
const lines = found("edge", "e"), labels = found("label", "e");
const nodes = new Map([...found("node", "a"), ...found("terminal", "a")]);
const titles = new Map(data.drawn.map((e, i) => [String(e), data.titles[i]]));
const first = data.metrics[0];
const ranked = (places, worth) => [...places].sort((a, b) => worth(b) - worth(a) || a - b);
const flow = (place) => data.flow[place] || data.drawn.filter((e) => data.edges[e][1] === place)
  .reduce((sum, e) => sum + Number(first?.raw[e] ?? 0), 0);
const topEdges = ranked(data.drawn, (e) => Number(first?.raw[e] ?? 0));
// Of these activities: first the best way into and out of each, and what ties the parts together,
// then the rest, so that no activity hangs in the air while few paths are shown.
const tied = (visible) => {
  const edges = topEdges.filter((e) => visible.has(sourceOf(e)) && visible.has(targetOf(e)));
  const entered = new Set(["e"]), left = new Set(["s"]), parent = new Map();
  const root = (key) => { while (parent.has(key)) key = parent.get(key); return key; };
  const needed = new Set(edges.filter((e) => {
    const source = sourceOf(e), target = targetOf(e), one = root(source), other = root(target);
    const ties = source !== target && (!entered.has(target) || !left.has(source) || one !== other);
    if (!ties) return false;
    entered.add(target);
    left.add(source);
    if (one !== other) parent.set(one, other);
    return true;
  }));
  return [...edges.filter((e) => needed.has(e)), ...edges.filter((e) => !needed.has(e))];
};
const topNodes = ranked(data.shown, flow);

// Which numbers are shown.
const chosen = () => {
  const primary = byId("primary")?.value ?? first?.key;
  const secondary = byId("secondary")?.value ?? data.secondary;
  return [primary, secondary === primary ? null : secondary].map((key) => metrics.get(key)).filter(Boolean);
};
const element = (name, attributes, text) => {
  const made = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
};
const paint = (shape, what, token) => {
  const old = [...shape.classList].filter((name) => name.startsWith(`hm-${what[0]}-`));
  shape.classList.remove(...old);
  shape.classList.add(`hm-${what[0]}-${token}`);
  shape.setAttribute(what, look.light[token]);
};
const relabel = (group, e, shown) => {
  const [x, y] = group.dataset.at.split(",").map(Number);
  const withRange = byId("intervals")?.checked;
  const texts = shown.map((metric) => {
    const text = metric.text[e];
    if (!text) return null;
    return [withRange && metric.off ? `${text} ${metric.off[e]}` : text, metric.faint[e]];
  }).filter(Boolean);
  group.querySelectorAll("rect, text").forEach((old) => old.remove());
  const step = Number(look.line), height = step * texts.length;
  const box = element("rect", { rx: 3, opacity: 0.8, y: y - height / 2, height });
  paint(box, "fill", "paper");
  group.append(box);
  let width = 0;
  texts.forEach(([text, faint], row) => {
    const size = row ? look.second : look.size;
    const made = element("text", { x, y: y - height / 2 + step * (row + 1) - 3, "font-size": size, "text-anchor": "middle" }, text);
    paint(made, "fill", faint ? "faint" : row ? "muted" : "ink");
    group.append(made);
    width = Math.max(width, made.getComputedTextLength());
  });
  box.setAttribute("x", x - width / 2 - 2);
  box.setAttribute("width", texts.length ? width + 4 : 0);
};
const showNumbers = () => {
  const shown = chosen();
  const colour = shown.find((metric) => metric.time) ?? shown[0];
  for (const e of data.drawn) {
    const line = lines.get(String(e)), label = labels.get(String(e));
    if (label) relabel(label, e, shown);
    if (!line || !colour) continue;
    paint(line.querySelector(".line"), "stroke", colour.colour[e]);
    const head = line.querySelector(".head");
    if (head) paint(head, "fill", colour.colour[e]);
    if (colour.faint[e]) line.setAttribute("opacity", look.faint);
    else line.removeAttribute("opacity");
  }
  document.querySelectorAll(".legend").forEach((legend) => { legend.hidden = legend.dataset.kind !== colour?.key; });
};

// What is hidden, in this view only.
const hide = () => {
  const few = Number(byId("activities").value), paths = byId("paths");
  const visible = new Set(topNodes.slice(0, few).map(String)).add("s").add("e");
  const possible = tied(visible), count = Math.ceil(possible.length * paths.value / paths.max);
  const shown = new Set(possible.slice(0, count));
  for (const e of data.drawn) {
    for (const part of [lines, labels]) part.get(String(e))?.classList.toggle("hidden", !shown.has(e));
  }
  for (const [key, node] of nodes) node.classList.toggle("hidden", !visible.has(key));
  const told = (id, number, all) => {
    const text = number === all ? `all ${all.toLocaleString("en")}` : `${number.toLocaleString("en")} of ${all.toLocaleString("en")}`;
    byId(`${id}-shown`).textContent = text;
    byId(id).setAttribute("aria-valuetext", text);
  };
  told("activities", few, data.activities.length);
  told("paths", count, data.edges.length);
  steps = focusable();
};

// Emphasis: an activity with its edges, an edge with its ends, or what was searched for.
const pick = (keys, edges, text) => {
  svg.querySelectorAll(".on").forEach((old) => old.classList.remove("on"));
  svg.classList.toggle("picked", keys !== null);
  if (keys === null) return;
  for (const key of keys) nodes.get(key)?.classList.add("on");
  for (const e of edges) for (const part of [lines, labels]) part.get(e)?.classList.add("on");
  if (text) say(text);
};
const pickEdge = (e) => pick([sourceOf(e), targetOf(e)], [e], titles.get(e));
const pickNode = (key) => {
  const mine = data.drawn.filter((e) => (sourceOf(e) === key || targetOf(e) === key) && !lines.get(String(e))?.classList.contains("hidden"));
  const ins = mine.filter((e) => targetOf(e) === key).length, outs = mine.filter((e) => sourceOf(e) === key).length;
  const keys = mine.flatMap((e) => [sourceOf(e), targetOf(e)]);
  const title = nodes.get(key).querySelector("title").textContent;
  pick([key, ...keys], mine.map(String), `${title}. Drawn: ${ins} edges in, ${outs} out.`);
};
let kept = null; // the activity or edge that was clicked stays emphasised: what shows it, and its key
const rest = () => (kept === null ? pick(null) : kept[0](kept[1]));
const keep = (show, key) => { kept = kept?.[0] === show && kept[1] === key ? null : [show, key]; rest(); };
const showAll = () => { for (const id of ["activities", "paths"]) byId(id).value = byId(id).max; hide(); };

// Pan and zoom by the view box.
const [, , fullWidth, fullHeight] = svg.getAttribute("viewBox").split(" ").map(Number);
const box = { x: 0, y: 0, scale: 1 };
const size = () => [viewport.clientWidth, viewport.clientHeight];
const fitScale = () => Math.min(size()[0] / fullWidth, size()[1] / fullHeight, 1.5);
const place = () => {
  const [width, height] = size();
  const inside = (at, full, seen) => (seen >= full ? (full - seen) / 2 : Math.min(Math.max(at, -60), full - seen + 60));
  box.x = inside(box.x, fullWidth, width / box.scale);
  box.y = inside(box.y, fullHeight, height / box.scale);
  svg.setAttribute("viewBox", `${box.x} ${box.y} ${width / box.scale} ${height / box.scale}`);
};
const zoom = (factor, px = size()[0] / 2, py = size()[1] / 2) => {
  const scale = Math.min(Math.max(box.scale * factor, Math.min(fitScale(), 1)), 6);
  const moved = scale !== box.scale;
  box.x += px / box.scale - px / scale;
  box.y += py / box.scale - py / scale;
  box.scale = scale;
  place();
  return moved;
};
const fit = () => { box.scale = fitScale(); box.x = box.y = 0; place(); };
const centre = (key, scale = box.scale) => {
  const shape = nodes.get(key)?.getBBox();
  if (!shape) return;
  box.scale = scale;
  box.x = shape.x + shape.width / 2 - size()[0] / scale / 2;
  box.y = shape.y + shape.height / 2 - size()[1] / scale / 2;
  place();
};
const begin = () => {
  const fitting = fitScale();
  if (fitting >= 0.6) return fit();
  centre(nodes.has("s") ? "s" : [...nodes.keys()][0], 0.75);
  box.y = 0;
  return place();
};
byId("zoom-in").addEventListener("click", () => zoom(1.3));
byId("zoom-out").addEventListener("click", () => zoom(1 / 1.3));
byId("zoom-fit").addEventListener("click", fit);
viewport.addEventListener("wheel", (event) => {
  const frame = viewport.getBoundingClientRect();
  const factor = Math.exp(-Math.sign(event.deltaY) * Math.min(0.25, Math.abs(event.deltaY) / 400));
  // At its smallest the map lets the page scroll on.
  if (zoom(factor, event.clientX - frame.left, event.clientY - frame.top) || event.ctrlKey) event.preventDefault();
}, { passive: false });
viewport.addEventListener("click", (event) => {
  if (travelled < 5 && !event.target.closest(".node, .terminal, .edge, .label")) { kept = null; rest(); }
});
const pointers = new Map();
let travelled = 0;
viewport.addEventListener("pointerdown", (event) => {
  if (event.button) return;
  if (!pointers.size) travelled = 0;
  pointers.set(event.pointerId, [event.clientX, event.clientY]);
});
viewport.addEventListener("pointermove", (event) => {
  const before = pointers.get(event.pointerId);
  if (!before) return;
  const now = [event.clientX, event.clientY];
  travelled += Math.hypot(now[0] - before[0], now[1] - before[1]);
  if (travelled > 4 && !viewport.hasPointerCapture(event.pointerId)) viewport.setPointerCapture(event.pointerId);
  const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
  if (other) {
    const frame = viewport.getBoundingClientRect();
    const spread = (point) => Math.hypot(point[0] - other[0], point[1] - other[1]) || 1;
    zoom(spread(now) / spread(before), (now[0] + other[0]) / 2 - frame.left, (now[1] + other[1]) / 2 - frame.top);
  } else {
    box.x -= (now[0] - before[0]) / box.scale;
    box.y -= (now[1] - before[1]) / box.scale;
    viewport.classList.add("dragged");
    place();
  }
  pointers.set(event.pointerId, now);
});
for (const over of ["pointerup", "pointercancel"]) window.addEventListener(over, (event) => {
  pointers.delete(event.pointerId);
  viewport.classList.remove("dragged");
});

// Pointing and keys. Arrows move the map; on an activity they walk from one to the next.
let steps = [];
const focusable = () => {
  const seen = [...svg.querySelectorAll(".node:not(.hidden)")];
  svg.querySelectorAll(".node").forEach((node) => node.setAttribute("tabindex", "-1"));
  seen[0]?.setAttribute("tabindex", "0");
  return seen;
};
for (const [e, line] of lines) {
  const touch = element("path", { class: "touch", d: line.querySelector(".line").getAttribute("d"), "stroke-width": 12 });
  line.append(touch);
  for (const part of [line, labels.get(e)]) {
    part?.addEventListener("pointerenter", () => pickEdge(e));
    part?.addEventListener("pointerleave", rest);
    part?.addEventListener("click", () => { if (travelled < 5) keep(pickEdge, e); });
  }
}
for (const [key, node] of nodes) {
  node.addEventListener("pointerenter", () => pickNode(key));
  node.addEventListener("pointerleave", rest);
  node.addEventListener("click", () => { if (travelled < 5) keep(pickNode, key); });
  if (!node.classList.contains("node")) continue;
  node.setAttribute("role", "button");
  node.setAttribute("aria-label", node.querySelector("title").textContent);
  node.addEventListener("focus", () => {
    pickNode(key);
    const seen = node.getBoundingClientRect(), frame = viewport.getBoundingClientRect();
    if (seen.left < frame.left || seen.right > frame.right || seen.top < frame.top || seen.bottom > frame.bottom) centre(key);
  });
  node.addEventListener("blur", rest);
}
viewport.addEventListener("keydown", (event) => {
  const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const arrow = arrows[event.key], at = steps.indexOf(document.activeElement);
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (arrow && at >= 0) {
    const next = steps[(at + arrow[0] + arrow[1] + steps.length) % steps.length];
    steps.forEach((node) => node.setAttribute("tabindex", node === next ? "0" : "-1"));
    next.focus({ preventScroll: true });
  } else if (arrow) {
    box.x += arrow[0] * 80 / box.scale;
    box.y += arrow[1] * 80 / box.scale;
    place();
  } else if (event.key === "+" || event.key === "=") zoom(1.3);
  else if (event.key === "-") zoom(1 / 1.3);
  else if (event.key === "0") fit();
  else if (event.key === "Enter" && at >= 0) keep(pickNode, steps[at].dataset.a);
  else if (event.key === "Escape") { kept = null; pick(null); }
  else return;
  event.preventDefault();
});
