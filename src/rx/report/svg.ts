import type { Picture } from './document.js';
import { escapeHtml } from './escape.js';
import { fixed } from './format.js';

/** Colours that stay apart for the colour-blind (Okabe & Ito 2008). */
export const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#000000'] as const;

/** Inner size and margins of a drawing, in pixels. */
export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly bottom: number;
  readonly top: number;
  readonly right: number;
}

export const FRAME: Frame = { width: 640, height: 260, left: 56, bottom: 40, top: 16, right: 16 };

/** Maps values of [low, high] to pixels; a range without width gets one. */
export function scale(low: number, high: number, from: number, to: number): (value: number) => number {
  const width = high - low || 1;
  return (value) => round(from + ((value - low) / width) * (to - from));
}

/** About five round numbers that span a range (Heckbert 1990). */
export function ticks(low: number, high: number): number[] {
  const raw = (high - low || 1) / 4;
  const magnitude = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 5, 10].find((factor) => factor * magnitude >= raw) ?? 10) * magnitude;
  const first = Math.ceil(low / step);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
}

/** A whole drawing around its parts. */
export function drawing(title: string, frame: Frame, parts: readonly string[]): Picture {
  const { width, height } = outer(frame);
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`;
  const style = 'font-family="system-ui, sans-serif" font-size="12" fill="#1a2330"';
  return {
    title,
    svg: `${head} role="img" ${style}><title>${escapeHtml(title)}</title>${parts.join('')}</svg>`,
  };
}

export function outer(frame: Frame): { width: number; height: number } {
  return { width: frame.left + frame.width + frame.right, height: frame.top + frame.height + frame.bottom };
}

/** Horizontal grid lines with their values on the left. */
export function yAxis(
  frame: Frame,
  values: readonly number[],
  y: (value: number) => number,
  show: (value: number) => string,
): string {
  return values
    .map((value) => {
      const at = y(value);
      const rule = line(frame.left, at, frame.left + frame.width, at, '#d6dce4');
      return rule + text(frame.left - 6, at + 4, show(value), 'end');
    })
    .join('');
}

/** Values below the drawing, and what they are. */
export function xAxis(
  frame: Frame,
  values: readonly { readonly at: number; readonly label: string }[],
  name: string,
): string {
  const base = frame.top + frame.height;
  const marks = values.map(({ at, label }) => text(at, base + 16, label, 'middle')).join('');
  return marks + text(frame.left + frame.width / 2, base + 34, name, 'middle');
}

export function line(x1: number, y1: number, x2: number, y2: number, stroke: string, dashed = false): string {
  const dash = dashed ? ' stroke-dasharray="5 4"' : '';
  return `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="${stroke}"${dash}/>`;
}

export function dot(x: number, y: number, radius: number, fill: string): string {
  return `<circle cx="${x}" cy="${y}" r="${round(radius)}" fill="${fill}"/>`;
}

export function path(points: readonly (readonly [number, number])[], stroke: string): string {
  const steps = points.map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${x} ${y}`).join('');
  return `<path d="${steps}" fill="none" stroke="${stroke}" stroke-width="2"/>`;
}

export function bar(x: number, y: number, width: number, height: number, fill: string): string {
  return `<rect x="${x}" y="${y}" width="${Math.max(0, round(width))}" height="${height}" fill="${fill}" rx="2"/>`;
}

export function text(
  x: number,
  y: number,
  content: string,
  anchor: 'start' | 'middle' | 'end',
  fill = '#5b6675',
): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}" fill="${fill}">${escapeHtml(content)}</text>`;
}

/** Names with their colours, below each other in the top right corner. */
export function legend(frame: Frame, names: readonly (readonly [name: string, colour: string])[]): string {
  const right = frame.left + frame.width;
  return names
    .map(([name, colour], i) => {
      const y = 16 + i * 16;
      return dot(right - 8, y - 4, 4, colour) + text(right - 18, y, name, 'end');
    })
    .join('');
}

export function percentLabel(value: number): string {
  return `${fixed(value * 100, 0)}%`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
