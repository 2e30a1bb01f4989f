// What makes the pages quicker to use. Every page works without it, step by step.
"use strict";

const byId = (id) => document.getElementById(id);

// ---- Step 1: drop a file, and see how far its upload is ----------------------------------------

function uploads() {
  const form = byId("upload");
  if (!form) return;
  const file = byId("file"), drop = byId("drop"), shown = byId("file-error");
  const limit = Number(form.dataset.limit);

  const complain = (words) => {
    shown.textContent = words;
    shown.hidden = false;
    file.setAttribute("aria-invalid", "true");
    file.setAttribute("aria-describedby", "file-error");
    byId("progress").hidden = true;
    file.focus();
  };
  const tooLarge = () =>
    "The file is larger than the limit for uploads. Name its path on this machine instead: then it " +
    "is read where it is.";
  const check = () => {
    shown.hidden = true;
    file.removeAttribute("aria-invalid");
    if (file.files[0] && file.files[0].size > limit) complain(tooLarge());
  };

  file.addEventListener("change", check);
  for (const name of ["dragenter", "dragover"]) {
    drop.addEventListener(name, (event) => { event.preventDefault(); drop.classList.add("over"); });
  }
  for (const name of ["dragleave", "drop"]) {
    drop.addEventListener(name, () => drop.classList.remove("over"));
  }
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length) { file.files = event.dataTransfer.files; check(); }
  });

  form.addEventListener("submit", (event) => {
    if (byId("path").value.trim() || !file.files.length) return;
    event.preventDefault();
    if (file.files[0].size > limit) { complain(tooLarge()); return; }
    const bar = byId("bar"), text = byId("bar-text"), said = byId("bar-said"), button = form.querySelector("button");
    byId("progress").hidden = false;
    button.disabled = true;
    const sent = new XMLHttpRequest();
    sent.open("POST", form.action);
    sent.upload.addEventListener("progress", (step) => {
      if (!step.lengthComputable) return;
      bar.value = step.loaded / step.total;
      const here = step.loaded < step.total;
      const words = (by) => here
        ? `${Math.floor((step.loaded / step.total) * (100 / by)) * by} % is here.` : "It is here; reading it.";
      text.textContent = words(1);
      if (said.textContent !== words(25)) said.textContent = words(25);  // aloud in few steps
    });
    sent.addEventListener("load", () => {
      if (sent.status < 400) { location.assign(sent.responseURL); return; }
      const answer = new DOMParser().parseFromString(sent.responseText, "text/html");
      const words = answer.querySelector(".error p") || answer.querySelector(".lead");
      button.disabled = false;
      complain(words ? words.textContent : "The file was not taken. Try again.");
    });
    sent.addEventListener("error", () => {
      button.disabled = false;
      complain("The upload broke off. Is hushmap serve still running? Try again.");
    });
    sent.send(new FormData(form));
  });
}

// ---- Work under way ----------------------------------------------------------------------------

function waiting() {
  const section = document.querySelector("[data-progress]");
  if (!section) return;
  const look = async () => {
    try {
      const job = await (await fetch(section.dataset.progress)).json();
      if (!job.running) { location.reload(); return; }
      byId("work-name").textContent = job.name;
      byId("work-seconds").textContent = job.seconds;
      // Said aloud now and then only: the figure changes all the time.
      const said = job.seconds && job.seconds % 15 === 0 ? `${job.name}: ${job.seconds} seconds so far` : "";
      if (said && byId("work-said").textContent !== said) byId("work-said").textContent = said;
      if (job.share !== null) byId("work-bar").value = job.share;
    } catch {
      byId("work-name").textContent = "hushmap serve no longer answers";
      return;
    }
    setTimeout(look, 400);
  };
  setTimeout(look, 200);
}

// ---- Step 3: two sliders that move each other --------------------------------------------------

const percent = (share) => {
  if (share > 100) return "over 10,000\u00a0%";
  const value = Number((share * 100).toPrecision(2));
  return `${value.toLocaleString("en", { maximumSignificantDigits: 6 })}\u00a0%`;
};
const points = (risk) => String(Number((risk * 100).toPrecision(3)));
const ease = (risk) => Math.log(Math.atanh(risk));

/** Between exact points of the curve; straight on the scale on which it almost is. */
class Curve {
  constructor(given) { this.points = given; }

  at(value, place) {
    const last = this.points.length - 1;
    let above = this.points.findIndex((one) => place(one) >= value);
    if (above === -1) above = last;
    if (above === 0) return { low: this.points[0], high: this.points[0], share: 0 };
    const low = this.points[above - 1], high = this.points[above];
    const share = (value - place(low)) / (place(high) - place(low));
    return { low, high, share: Math.min(1, Math.max(0, share)) };
  }

  atRisk(risk) { return this.blend(this.at(ease(risk), (one) => ease(one.risk))); }

  atError(error) { return this.blend(this.at(-Math.log(error), (one) => -Math.log(one.error))); }

  blend({ low, high, share }) {
    const even = (a, b) => a + share * (b - a);
    const steep = (a, b) => Math.exp(even(Math.log(Math.max(a, 1e-12)), Math.log(Math.max(b, 1e-12))));
    return {
      risk: Math.tanh(Math.exp(even(ease(low.risk), ease(high.risk)))),
      error: steep(low.error, high.error),
      annotations: low.annotations.map((one, place) => {
        const other = high.annotations[place];
        return {
          mape: one.mape === null ? null : steep(one.mape, other.mape),
          far: Math.round(even(one.far, other.far)),
          edges: one.edges,
        };
      }),
    };
  }
}

function sliders() {
  const form = byId("protect"), block = byId("tradeoff");
  if (!form || !block) return;
  const data = JSON.parse(block.textContent), words = JSON.parse(byId("kinds").textContent);
  if (data.points.length < 2 || form.querySelector("fieldset").disabled) return;
  const curve = new Curve(data.points);
  const first = data.points[0], last = data.points[data.points.length - 1];
  const number = { risk: byId("risk"), error: byId("error") };
  const slider = { risk: byId("risk-slider"), error: byId("error-slider") };
  const meaning = byId("meaning"), problem = byId("point-problem");
  let asked = 0, timer = 0, asking = false, next = "";

  // The risk moves by half points; the error on a logarithmic scale, as in the picture.
  slider.risk.min = Math.max(1, Math.ceil(first.risk * 200));
  slider.risk.max = Math.min(198, Math.floor(last.risk * 200));
  const low = Math.log(Math.max(last.error, Math.min(0.001, first.error / 2)));
  const span = Math.log(first.error) - low;
  const place = {
    risk: (risk) => Math.round(risk * 200),
    error: (error) => Math.round(((Math.log(error) - low) / span) * 1000),
  };
  const value = {
    risk: (position) => position / 200,
    error: (position) => Number(Math.exp(low + (position / 1000) * span).toPrecision(2)),
  };
  const said = { risk: (risk) => `${points(risk)} percentage points`, error: percent };

  const frames = data.frames.map((frame, index) => ({
    ...frame, svg: form.querySelectorAll(".chart svg")[index],
  }));

  function mark(risk, marks) {
    for (const frame of frames) {
      for (const group of frame.svg.querySelectorAll(".mark")) {
        const error = marks[group.dataset.line];
        if (error === undefined || error === null) continue;
        const share = Math.log(error / frame.low) / Math.log(frame.high / frame.low);
        const x = frame.x + risk * frame.width;
        const y = frame.y + (1 - Math.min(1, Math.max(0, share))) * frame.height;
        group.querySelector("circle").setAttribute("cx", x);
        group.querySelector("circle").setAttribute("cy", y);
        group.querySelector(".guide").setAttribute(
          "d", `M${frame.x},${y}L${x},${y} ${x},${frame.y + frame.height}`);
      }
    }
  }

  function move(kind, amount) {
    const bounded = Math.min(Number(slider[kind].max), Math.max(Number(slider[kind].min), place[kind](amount)));
    slider[kind].value = bounded;
    slider[kind].setAttribute("aria-valuetext", said[kind](amount));
  }

  function say(sentences) {
    sentences.forEach((sentence, index) => {
      const line = meaning.children[index];
      if (line && line.textContent !== sentence) line.textContent = sentence;
    });
  }

  /** At once, from the exact points around: what the sliders show while they move. */
  function feel(kind, amount) {
    const here = kind === "risk" ? curve.atRisk(amount) : curve.atError(amount);
    here[kind] = amount;
    const other = kind === "risk" ? "error" : "risk";
    form.querySelector(`[name="fix"][value="${kind}"]`).checked = true;
    number[other].value = points(here[other]);
    move(kind, amount);
    move(other, here[other]);
    const marks = data.per_edge ? { "every edge": here.error }
      : Object.fromEntries(data.kinds.map((name, index) => [name, here.annotations[index].mape]));
    mark(here.risk, marks);
    meaning.setAttribute("aria-busy", "true");
    const figures = [{}, ...here.annotations, { mape: here.error }];
    say(data.sentences.map((sentence, index) => sentence
      .replace("{risk}", points(here.risk))
      .replace("{error}", figures[index].mape ? percent(figures[index].mape) : "–")
      .replace("{far}", figures[index].far?.toLocaleString("en"))
      .replace("{edges}", figures[index].edges?.toLocaleString("en"))));
    clearTimeout(timer);
    timer = setTimeout(() => settle(kind), 60);
  }

  /** Then exactly, from the functions that plan and release use; one question at a time. */
  async function settle(kind) {
    const mine = ++asked;
    if (asking) { next = kind; return; }
    asking = true;
    const query = new URLSearchParams({ fix: kind, value: number[kind].value });
    let answer, facts;
    try {
      answer = await fetch(`${form.dataset.point}?${query}`);
      facts = await answer.json();
    } catch {
      facts = { problem: "hushmap serve no longer answers." };
    }
    asking = false;
    if (next) { const then = next; next = ""; settle(then); return; }
    if (mine !== asked) return;
    problem.hidden = !facts.problem;
    problem.textContent = facts.problem || "";
    meaning.setAttribute("aria-busy", "false");
    if (facts.problem) return;
    const other = kind === "risk" ? "error" : "risk";
    if (facts[other] !== null) { number[other].value = points(facts[other]); move(other, facts[other]); }
    mark(facts.risk, facts.marks);
    say(facts.sentences);
    costly(facts.costly);
    for (const row of facts.without) {
      const shown = document.querySelector(`#without [data-kind="${row.kind}"]`);
      if (shown) shown.textContent = row.said;
    }
    form.dataset.exact = String(mine);
  }

  function costly(rows) {
    byId("costly").replaceChildren(...rows.map((row) => {
      const line = document.createElement("tr");
      const cells = [
        row.source ?? "▶ start", row.target ?? "■ end", words[row.kind], row.error, row.advice,
      ];
      cells.forEach((text, index) => {
        const cell = document.createElement("td");
        const inner = index < 2 ? document.createElement("bdi") : cell;
        inner.textContent = text;
        if (inner !== cell) cell.append(inner);
        if (index === 3) cell.className = "number";
        line.append(cell);
      });
      return line;
    }));
  }

  for (const kind of ["risk", "error"]) {
    slider[kind].hidden = false;
    slider[kind].addEventListener("input", () => {
      const amount = value[kind](Number(slider[kind].value));
      number[kind].value = points(amount);
      feel(kind, amount);
    });
    number[kind].addEventListener("input", () => {
      const amount = Number(number[kind].value.replace(",", ".").replace("%", "")) / 100;
      if (amount > 0 && (kind === "error" || amount < 1)) feel(kind, amount);
    });
    form.querySelector(`[name="fix"][value="${kind}"]`).addEventListener("change", () => settle(kind));
    const start = Number(number[kind].value) / 100;
    if (start > 0) move(kind, start);
  }
}

// ---- Small things ------------------------------------------------------------------------------

/** Whatever was changed is not lost by going on, nor does the page go on without it. */
function choices() {
  const choices = byId("choices"), form = choices?.closest("form");
  if (!form || choices.querySelector("fieldset").disabled) return;
  const again = byId("again"), on = byId("on"), changed = byId("changed"), before = fields(choices);
  const look = () => {
    const other = fields(choices) !== before;
    if (on) for (const [button, main] of [[again, other], [on, !other]]) button.classList.toggle("primary", main);
    if (on && (changed.textContent !== "") !== other) changed.textContent = other ? changed.dataset.words : "";
  };
  choices.addEventListener("input", look);
  choices.addEventListener("change", look);
  look();  // the browser may have filled the fields in again

  const start = fields(form);
  for (const link of document.querySelectorAll(".steps a")) {
    link.addEventListener("click", async (event) => {
      const open = event.ctrlKey || event.metaKey || event.shiftKey;
      if (open || fields(form) === start) return;
      event.preventDefault();
      const body = new URLSearchParams([...new FormData(form), ["next", "show"]]);
      const kept = await fetch(form.action, { method: "POST", body }).catch(() => null);
      if (kept?.status === 422) form.requestSubmit();  // what is wrong is shown
      else location.assign(link.href);
    });
  }
}

const fields = (within) => JSON.stringify(
  [...within.querySelectorAll("input, select")].map((one) =>
    ["radio", "checkbox"].includes(one.type) ? one.checked : one.type === "range" ? "" : one.value));

function copying() {
  for (const box of document.querySelectorAll(".copyable")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "link copy";
    button.textContent = "Copy";
    button.setAttribute("aria-live", "polite");
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(box.querySelector("code").textContent);
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    box.append(button);
  }
}

function helping() {
  const all = document.querySelectorAll(".help");
  const close = (but) => all.forEach((one) => { if (one !== but) one.open = false; });
  document.addEventListener("click", (event) => close(event.target.closest(".help")));
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    const open = document.querySelector(".help[open]");
    if (open) { open.open = false; open.querySelector("summary").focus(); }
  });
}

uploads();
waiting();
sliders();
choices();
copying();
helping();
document.querySelector("[aria-invalid='true']")?.focus();
