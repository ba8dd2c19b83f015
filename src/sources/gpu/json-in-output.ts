import { type Json, parseJson } from '../../foreign/json.js';

/** How many places in the text are tried as the beginning of the JSON. */
const MAX_STARTS = 16;

/**
 * The JSON value in a tool's output. Warnings before it are skipped, also such that hold brackets themselves, and so is
 * text behind it. Undefined when there is none.
 */
export function jsonInOutput(output: string): Json | undefined {
  const end = Math.max(output.lastIndexOf('}'), output.lastIndexOf(']')) + 1;
  if (end === 0) return undefined;
  for (const start of starts(output)) {
    const parsed = parseJson(output.slice(start, end));
    if (parsed.ok && typeof parsed.value === 'object') return parsed.value;
  }
  return undefined;
}

/** The first bracket anywhere, then every one that begins a line. */
function starts(output: string): number[] {
  const first = output.search(/[[{]/);
  if (first < 0) return [];
  const found = new Set([first]);
  for (const match of output.matchAll(/^[ \t]*([[{])/gm)) {
    if (found.size >= MAX_STARTS) break;
    found.add(match.index + match[0].length - 1);
  }
  return [...found];
}
