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

/** Blue, orange, green, grey: apart for the colour-blind (Okabe & Ito 2008). */
export const COLOURS = { blue: '#0072b2', orange: '#d55e00', green: '#009e73', grey: '#5b6675' } as const;

/** Pixels with two decimals. */
export function px(value: number): string {
  return String(Math.round(value * 100) / 100);
}

export function svgLine(
  x1: number,
  y1: number,
  x2: number,
  y2: number,
  colour: string,
  dashed = false,
): string {
  const dash = dashed ? ' stroke-dasharray="5 4"' : '';
  return `<line x1="${px(x1)}" y1="${px(y1)}" x2="${px(x2)}" y2="${px(y2)}" stroke="${colour}"${dash}/>`;
}

export function svgText(
  x: number,
  y: number,
  text: string,
  anchor: 'start' | 'middle' | 'end' = 'start',
): string {
  return `<text x="${px(x)}" y="${px(y)}" text-anchor="${anchor}" fill="${COLOURS.grey}">${escapeHtml(text)}</text>`;
}

export function svgDot(x: number, y: number, colour: string): string {
  return `<circle cx="${px(x)}" cy="${px(y)}" r="5" fill="${colour}"/>`;
}

/** A drawing with its title; refers to nothing outside. */
export function svgDrawing(title: string, width: number, height: number, parts: readonly string[]): string {
  const name = escapeHtml(title);
  return `<figure><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="system-ui, sans-serif" font-size="12"><title>${name}</title>${parts.join('')}</svg><figcaption>${name}</figcaption></figure>`;
}
