"""The look of `certificate.html`: quiet, one accent, light and dark, narrow and printed."""

STYLE = """\
:root {
  color-scheme: light dark;
  --paper: #ffffff; --ink: #1d2329; --muted: #5c6670; --rule: #e1e5e8; --wash: #f4f7f7;
  --accent: #0b6b63;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14181b; --ink: #e4e8ea; --muted: #9aa5ad; --rule: #2c3338; --wash: #1b2125;
    --accent: #62c4b8;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  overflow-wrap: anywhere;
}
main { max-width: 46rem; margin: 0 auto; padding: 3.5rem 1.5rem 5rem; }
.brand {
  margin: 0 0 .75rem; color: var(--accent); font-size: .875rem; font-weight: 600;
  letter-spacing: .06em;
}
h1 { margin: 0; font-size: 2rem; line-height: 1.2; font-weight: 650; letter-spacing: -.015em; }
.when { margin: .5rem 0 0; color: var(--muted); font-size: .9375rem; }
.limit {
  margin: 2rem 0 0; padding: 1.25rem 1.5rem 1.375rem; background: var(--wash);
  border-left: 3px solid var(--accent); border-radius: 0 6px 6px 0;
}
.limit p { margin: 0; }
.figure { font-size: 1.125rem; color: var(--accent); }
.limit .figure { margin-bottom: .25rem; }
.figure strong {
  margin: 0 .0625em; font-size: 2.5rem; font-weight: 650; line-height: 1.2; letter-spacing: -.02em;
  font-variant-numeric: tabular-nums;
}
section { margin-top: 3rem; }
h2 { margin: 0 0 .75rem; font-size: 1.25rem; line-height: 1.3; font-weight: 650; }
p { margin: 0 0 .75rem; }
ul { margin: 0 0 1rem; padding-left: 1.25rem; }
li { margin: .375rem 0; }
li::marker { color: var(--muted); }
.promised, .not-promised { padding: 0; list-style: none; }
.promised li, .not-promised li { position: relative; margin: .75rem 0; padding-left: 1.75rem; }
.promised li::before, .not-promised li::before {
  position: absolute; left: .125rem; color: var(--accent); font-weight: 700;
}
.promised li::before { content: "\\2713" / ""; }
.not-promised li::before { content: "\\2013" / ""; color: var(--muted); }
.names { display: flex; flex-wrap: wrap; gap: .375rem .5rem; padding: 0; list-style: none; }
.names li {
  margin: 0; padding: .125rem .625rem; border: 1px solid var(--rule); border-radius: 6px;
  font-size: .9375rem; white-space: pre-wrap; max-width: 100%;
}
summary { cursor: pointer; color: var(--accent); margin-bottom: .75rem; }
table { width: 100%; border-collapse: collapse; font-size: .9375rem; line-height: 1.5; }
th, td { padding: .5625rem 0; vertical-align: top; text-align: left; }
tr { border-top: 1px solid var(--rule); }
tbody tr:last-child { border-bottom: 1px solid var(--rule); }
th { width: 42%; padding-right: 1.5rem; font-weight: 600; }
.mechanisms th, .files th { width: 9.5rem; }
th code { display: block; color: var(--muted); font-weight: 400; }
code { font: .8125rem/1.5 ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace; }
.hash { color: var(--muted); }
@media (max-width: 34rem) {
  main { padding: 2rem 1.125rem 3rem; }
  h1 { font-size: 1.625rem; }
  .limit { padding: 1rem 1.125rem; }
  section { margin-top: 2.25rem; }
  th, td { display: block; width: auto; padding: 0; }
  th { padding-top: .5625rem; }
  td { padding-bottom: .5625rem; }
  th code { display: inline; }
  .mechanisms th, .files th { width: auto; }
}
@media print {
  :root { --paper: #fff; --ink: #000; --muted: #444; --rule: #bbb; --wash: #fff; --accent: #000; }
  html { font-size: 10pt; }
  main { max-width: none; padding: 0; }
  section { margin-top: 1.5rem; }
  h2 { break-after: avoid; }
  li, tr, .limit { break-inside: avoid; }
}
"""
