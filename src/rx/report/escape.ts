import { outgoingLine } from '../../foreign/hygiene.js';

const HTML: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** One line of foreign text as HTML or SVG text, in elements and in quoted attributes. */
export function escapeHtml(text: string): string {
  return outgoingLine(text).replace(/[&<>"']/g, (mark) => HTML[mark] ?? mark);
}

/**
 * One line of foreign text as Markdown inside a line: no markup, link, HTML or table cell can begin in it. Brackets alone stay
 * readable, since only `](`, `][` and `]:` make them links.
 */
export function escapeMarkdown(text: string): string {
  return outgoingLine(text)
    .replace(/[\\`*|<>~]/g, '\\$&')
    .replace(/\](?=[(:[])/g, '\\]')
    .replace(/&(?=[#a-zA-Z])/g, '&amp;')
    .replace(/(^|\W)_|_(?=\W|$)/g, (mark) => mark.replace('_', '\\_'));
}

/** An escaped text in lines of at most so many columns, none of which begins a heading, a list or a rule. */
export function wrapMarkdown(escaped: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of escaped.split(' ').filter((part) => part !== '')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= columns)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.map((line) =>
    line.replace(/^(?:[#+-]+(?=\s|$)|[-=]{2,}|\d+[.)](?=\s|$))/, (mark) =>
      /^\d/.test(mark) ? `${mark.slice(0, -1)}\\${mark.slice(-1)}` : `\\${mark}`,
    ),
  );
}
