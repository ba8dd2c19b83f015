import { stripControls } from '../../foreign/hygiene.js';

const SPECIAL = /[\\`*_[\]<>#|~]/g;

/** Foreign text as one line of Markdown prose: nothing in it is markup. */
export function prose(text: string): string {
  return oneLine(text).replace(SPECIAL, '\\$&');
}

/** Foreign text as inline code: the fence is longer than any run of back-ticks inside. */
export function code(text: string): string {
  const line = oneLine(text);
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = line.startsWith('`') || line.endsWith('`') || line === '' ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** Text as a quote, every line prefixed and escaped. */
export function quote(text: string): string {
  return text
    .split(/\r\n|[\n\r]/)
    .map((line) => `> ${prose(line)}`.trimEnd())
    .join('\n');
}

/** A fenced block; JSON inside cannot close it because the fence is longer than any run of back-ticks. */
export function fenced(language: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** A cell of a table. */
export function cell(text: string): string {
  return prose(text);
}

function oneLine(text: string): string {
  return stripControls(text).replace(/\s+/g, ' ').trim();
}
