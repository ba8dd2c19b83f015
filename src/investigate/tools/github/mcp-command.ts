import { parseJson } from '../../../foreign/json.js';

export type CommandReading =
  | { readonly ok: true; readonly argv: readonly string[] }
  | { readonly ok: false; readonly problem: string };

/** A program and its arguments: words between blanks, or a JSON list where one of them holds a blank; blank is none. */
export function readCommand(source: string): CommandReading {
  const trimmed = source.trim();
  if (trimmed === '') return { ok: true, argv: [] };
  if (!trimmed.startsWith('[')) return { ok: true, argv: trimmed.split(/\s+/) };
  const parsed = parseJson(trimmed);
  const words = parsed.ok && Array.isArray(parsed.value) ? parsed.value : [];
  const argv = words.filter((word) => typeof word === 'string' && word !== '');
  if (argv.length > 0 && argv.length === words.length) return { ok: true, argv };
  return { ok: false, problem: 'expected words between blanks, or a JSON list of texts' };
}
