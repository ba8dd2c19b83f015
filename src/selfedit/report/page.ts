import { createHash } from 'node:crypto';
import { escapeHtml } from './svg.js';

const STYLE = `
:root { color-scheme: light dark; --ink: #1a2330; --soft: #566170; --line: #d6dce4; --paper: #fff; --card: #f5f7fa;
  --good: #00795a; --bad: #b34700; --mark: #0063a0; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6eaf0; --soft: #a3adbb; --line: #39424e; --paper: #14181d;
  --card: #1d232b; --good: #3fc99b; --bad: #ff9a55; --mark: #6db9f0; } }
* { box-sizing: border-box; }
body { max-width: 68rem; margin: 0 auto; padding: 1.2rem 1rem 3rem; color: var(--ink); background: var(--paper);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0.5rem 0; }
h2 { font-size: 1.15rem; margin: 2rem 0 0.6rem; }
summary { cursor: pointer; padding: 0.3rem 0; }
p { margin: 0.5rem 0; }
.soft, figcaption, th { color: var(--soft); font-size: 0.9rem; font-weight: 400; text-align: left; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); gap: 0.6rem; margin: 1rem 0; padding: 0; }
.facts div { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 0.5rem 0.7rem; }
.facts dt { color: var(--soft); font-size: 0.85rem; }
.facts dd { margin: 0; font-size: 1.15rem; font-variant-numeric: tabular-nums; }
.note { border-left: 3px solid var(--line); padding-left: 0.8rem; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
th, td { padding: 0.35rem 0.6rem 0.35rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td { font-variant-numeric: tabular-nums; }
.good { color: var(--good); } .bad { color: var(--bad); }
figure { margin: 0.8rem 0; }
.power { display: block; width: 100%; max-width: 34rem; height: auto; }
.power text { fill: var(--soft); font-size: 13px; }
.grid { stroke: var(--line); } .curve { fill: none; stroke-width: 2.5; }
.a { stroke: var(--mark); } .b { stroke: var(--bad); stroke-dasharray: 7 4; }
.forest { display: grid; grid-template-columns: minmax(6rem, 11rem) 1fr minmax(8rem, 13rem); gap: 0.15rem 0.8rem;
  grid-auto-flow: row dense; align-items: center; font-size: 0.9rem; }
.forest .label { grid-column: 1; } .forest .what { grid-column: 3; }
.forest svg { grid-column: 2; display: block; width: 100%; height: 1.6rem; }
.axis { display: flex; justify-content: space-between; color: var(--soft); font-size: 0.8rem; grid-column: 2; }
.zero { stroke: var(--soft); stroke-dasharray: 3 3; } .whisker { stroke: var(--soft); stroke-width: 2; }
.point { stroke-width: 5; stroke: var(--bad); } .point.won { stroke: var(--good); }
@media (max-width: 40rem) {
  .long thead { position: absolute; clip-path: inset(50%); }
  .long tr { display: block; padding: 0.5rem 0; border-bottom: 1px solid var(--line); }
  .long td { display: block; border: 0; padding: 0.05rem 0; }
  .long td[data-label]::before { content: attr(data-label) ": "; color: var(--soft); }
  .long td:first-child { font-weight: 600; } .long td:first-child::before, .long td:empty { display: none; }
  .short { font-size: 0.8rem; } .short th, .short td { padding-right: 0.35rem; }
  .short td:first-child { overflow-wrap: anywhere; }
  .forest { grid-template-columns: 1fr auto; row-gap: 0; }
  .forest svg, .axis { grid-column: 1 / -1; }
  .forest .what { grid-column: 2; grid-row: auto; text-align: right; } .forest .label { grid-column: 1; }
}
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** One page that opens offline: no script, nothing from elsewhere, and a policy that allows nothing but this style sheet. */
export function htmlPage(title: string, parts: readonly string[]): string {
  const policy = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'`;
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body>`,
    ...parts,
    '</body></html>',
    '',
  ].join('\n');
}

/** A cell: its text, and how it is meant. */
export type Cell = string | { readonly text: string; readonly tone: 'good' | 'bad' };

/** A table that becomes a list of labelled lines on a narrow screen; `short`: several of them on one line. */
export function htmlTable(
  header: readonly string[],
  rows: readonly (readonly Cell[])[],
  shape: 'short' | 'long' = 'long',
): string {
  const head = header.map((text) => `<th scope="col">${escapeHtml(text)}</th>`).join('');
  const body = rows.map(
    (row) => `<tr>${row.map((cell, i) => htmlCell(header[i] ?? '', cell)).join('')}</tr>`,
  );
  return `<table class="${shape}"><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table>`;
}

function htmlCell(label: string, cell: Cell): string {
  const { text, tone } = typeof cell === 'string' ? { text: cell, tone: null } : cell;
  const tag = `<td data-label="${escapeHtml(label)}"${tone === null ? '' : ` class="${tone}"`}>`;
  return `${tag}${escapeHtml(text)}</td>`;
}

/** Figures with their names, side by side. */
export function htmlFacts(facts: readonly (readonly [name: string, value: string])[]): string {
  const items = facts.map(
    ([name, value]) => `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd></div>`,
  );
  return `<dl class="facts">${items.join('')}</dl>`;
}

/** Something to unfold, without a script. */
export function htmlDetails(summary: string, content: string, isOpen = false): string {
  return `<details${isOpen ? ' open' : ''}><summary>${escapeHtml(summary)}</summary>${content}</details>`;
}
