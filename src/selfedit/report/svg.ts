import { outgoingLine } from '../../foreign/hygiene.js';

const MARKS: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** One line of text for HTML and SVG. */
export function escapeHtml(text: string): string {
  return outgoingLine(text).replace(/[&<>"']/g, (mark) => MARKS[mark] ?? mark);
}

/** Pixels with two decimals. */
export function px(value: number): string {
  return String(Math.round(value * 100) / 100);
}

/** A line that keeps its width however its drawing is stretched; the style sheet gives its class a colour. */
export function svgLine(x1: number, y1: number, x2: number, y2: number, name: string): string {
  return `<line x1="${px(x1)}" y1="${px(y1)}" x2="${px(x2)}" y2="${px(y2)}" class="${name}" vector-effect="non-scaling-stroke"/>`;
}

export function svgText(
  x: number,
  y: number,
  text: string,
  anchor: 'start' | 'middle' | 'end' = 'start',
): string {
  return `<text x="${px(x)}" y="${px(y)}" text-anchor="${anchor}">${escapeHtml(text)}</text>`;
}
