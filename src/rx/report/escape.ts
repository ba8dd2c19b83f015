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
 * One line of foreign text as Markdown: no markup, link, HTML or table cell can begin in it. Brackets alone stay readable,
 * since only `](` and `]:` make them links.
 */
export function escapeMarkdown(text: string): string {
  return outgoingLine(text)
    .replace(/[\\`*|<>~]/g, '\\$&')
    .replace(/\](?=[(:[])/g, '\\]')
    .replace(/&(?=[#a-zA-Z])/g, '&amp;')
    .replace(/^(\s*)([#+=-]|\d+[.)])/, '$1\\$2')
    .replace(/(^|\W)_|_(?=\W|$)/g, (mark) => mark.replace('_', '\\_'));
}
