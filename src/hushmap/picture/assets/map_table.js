// The map page goes on: its table, search and downloads, and the beginning of it all.
// The table.
const body = document.querySelector("tbody"), heads = [...document.querySelectorAll("th[data-column]")];
const drawn = new Set(data.drawn);
const rows = data.edges.map(([source, target], e) => {
  const row = document.createElement("tr");
  for (const head of heads) {
    const cell = document.createElement("td"), column = head.dataset.column;
    if (column === "source" || column === "target") {
      const name = document.createElement("bdi");
      name.textContent = column === "source" ? nameOf(source, START) : nameOf(target, END);
      if (column === "source" && drawn.has(e)) {
        const button = document.createElement("button");
        button.type = "button";
        button.title = "Show in the map";
        button.append(name);
        button.addEventListener("click", () => {
          if (lines.get(String(e))?.classList.contains("hidden")) showAll();
          kept = [pickEdge, String(e)];
          rest();
          centre(sourceOf(e));
          viewport.scrollIntoView({ block: "nearest" });
        });
        cell.append(button);
      } else cell.append(name);
    } else {
      cell.className = head.className = "number";
      cell.textContent = (column === "interval" ? metrics.get(head.dataset.of).interval[e] : metrics.get(column).text[e]) || "–";
    }
    row.append(cell);
  }
  if (drawn.has(e)) {
    row.addEventListener("pointerenter", () => pickEdge(String(e)));
    row.addEventListener("pointerleave", rest);
  }
  return row;
});
const value = (e, column) => {
  if (column === "source") return nameOf(data.edges[e][0], "");
  if (column === "target") return nameOf(data.edges[e][1], "\uffff");
  return Number(metrics.get(column).raw[e] ?? -1);
};
const sort = (head) => {
  const was = head.getAttribute("aria-sort"), up = was ? was === "descending" : !head.className;
  const turn = up ? 1 : -1, column = head.dataset.column;
  const order = rows.map((_, e) => [value(e, column), e]);
  order.sort(([a, e], [b, f]) => (typeof a === "number" ? a - b : a < b ? -1 : a > b ? 1 : 0) * turn || e - f);
  body.append(...order.map(([, e]) => rows[e]));
  heads.forEach((other) => other.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
};
heads.forEach((head) => head.querySelector("button")?.addEventListener("click", () => sort(head)));

// Search: marks activities, thins the table; Enter goes from one to the next.
const counted = (many) => `${many.toLocaleString("en")} ${many === 1 ? "activity" : "activities"}`;
let visited = -1, wantedLast = "";
const search = () => {
  const wanted = byId("search").value.trim().toLowerCase();
  const hits = new Set(data.activities.flatMap((name, place) => (wanted && name.toLowerCase().includes(wanted) ? [place] : [])));
  for (const [key, node] of nodes) node.classList.toggle("found", hits.has(Number(key)));
  let count = 0;
  rows.forEach((row, e) => {
    row.hidden = Boolean(wanted) && !data.edges[e].some((place) => hits.has(place));
    count += !row.hidden;
  });
  byId("rows").textContent = wanted ? `${count.toLocaleString("en")} edges of the ${counted(hits.size)} found` : "";
  const here = ranked(hits, flow).map(String).filter((key) => nodes.has(key));
  const missing = hits.size - here.length;
  if (wanted) say(`${counted(hits.size)} found${missing ? `, ${missing.toLocaleString("en")} of them not drawn: the table has their edges` : ""}. Enter goes from one to the next.`);
  return here;
};
byId("search").addEventListener("input", search);
byId("controls").addEventListener("submit", (event) => {
  event.preventDefault();
  const hits = search(), wanted = byId("search").value;
  if (!wanted.trim() || !hits.length) return;
  visited = wanted === wantedLast ? (visited + 1) % hits.length : 0;
  wantedLast = wanted;
  const hit = hits[visited];
  if (nodes.get(hit).classList.contains("hidden")) showAll();
  centre(hit, Math.max(box.scale, 0.75));
  kept = [pickNode, hit];
  rest();
});

// Downloads, made of the numbers in the page; as text, for some are larger than a float can hold.
const save = (name, type, text) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};
const field = (text) => (/[",\x00-\x1f\x7f]|^\s|\s$|^$/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const csv = () => [
  ["source", "target", ...data.metrics.map((metric) => metric.column)],
  ...data.edges.map(([source, target], e) => [
    source === null ? "" : field(data.activities[source]),
    target === null ? "" : field(data.activities[target]),
    ...data.metrics.map((metric) => metric.raw[e] ?? ""),
  ]),
].map((row) => `${row.join(",")}\r\n`).join("");
const json = () => {
  const edges = data.edges.map(([source, target], e) => {
    const members = [["source", nameOf(source, null)], ["target", nameOf(target, null)]].map(([key, name]) => `"${key}": ${JSON.stringify(name)}`);
    for (const metric of data.metrics) if (metric.raw[e] !== null) members.push(`"${metric.key}": ${metric.raw[e]}`);
    return `{${members.join(", ")}}`;
  });
  const names = data.activities.map((name) => JSON.stringify(name)).join(", ");
  const units = data.metrics.map((metric) => `"${metric.key}": "${metric.unit}"`).join(", ");
  return `{"format": "hushmap/map/1",\n "activities": [${names}],\n "edges": [\n  ${edges.join(",\n  ")}],\n "units": {${units}}}\n`;
};
const picture = () => {
  const copy = svg.cloneNode(true);
  copy.querySelectorAll(".hidden, .touch").forEach((part) => part.remove());
  copy.querySelectorAll("[tabindex]").forEach((part) => ["tabindex", "role", "aria-label"].forEach((name) => part.removeAttribute(name)));
  copy.classList.remove("picked");
  const legend = element("g", {});
  let x = 20, y = fullHeight + 10;
  document.querySelectorAll(".legend:not([hidden]) svg").forEach((entry) => {
    const width = Number(entry.getAttribute("width"));
    if (x > 20 && x + width > fullWidth) { x = 20; y += 42; }
    const part = element("g", { transform: `translate(${x} ${y})` });
    part.append(...[...entry.children].filter((child) => !["title", "desc"].includes(child.tagName)).map((child) => child.cloneNode(true)));
    legend.append(part);
    x += width + 30;
  });
  data.foot.forEach((text, row) => {
    const made = element("text", { x: 20, y: y + 60 + row * 16, "font-size": 11 }, text);
    paint(made, "fill", "muted");
    legend.append(made);
  });
  const height = y + 60 + data.foot.length * 16;
  const paper = element("rect", { width: "100%", height: "100%" });
  paint(paper, "fill", "paper");
  copy.prepend(element("style", {}, look.style), paper);
  copy.append(legend);
  for (const [name, text] of [["viewBox", `0 0 ${fullWidth} ${height}`], ["width", fullWidth], ["height", height]]) copy.setAttribute(name, text);
  return `${new XMLSerializer().serializeToString(copy)}\n`;
};
byId("get-svg").addEventListener("click", () => save("map.svg", "image/svg+xml", picture()));
byId("get-csv").addEventListener("click", () => save("map.csv", "text/csv", csv()));
byId("get-json").addEventListener("click", () => save("map.json", "application/json", json()));

for (const id of ["activities", "paths"]) byId(id).addEventListener("input", hide);
for (const id of ["secondary", "intervals"]) byId(id)?.addEventListener("change", showNumbers);
let primary = byId("primary")?.value;
byId("primary")?.addEventListener("change", () => {
  // What was first becomes second, rather than the same number twice.
  if (byId("secondary").value === byId("primary").value) byId("secondary").value = primary;
  primary = byId("primary").value;
  showNumbers();
});
window.addEventListener("resize", place);
window.addEventListener("beforeprint", () => svg.setAttribute("viewBox", `0 0 ${fullWidth} ${fullHeight}`));
window.addEventListener("afterprint", place);
svg.setAttribute("role", "group"); // a picture for those without script, parts to visit for those with
body.append(...rows);
const mainHead = heads.find((head) => head.dataset.column === first?.key);
if (mainHead) sort(mainHead);
hide();
showNumbers();
begin();
