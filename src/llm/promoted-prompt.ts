import { createHash } from 'node:crypto';
import { closeSync, constants, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord, parseJson } from './json.js';

/** Which prompt text to use: the promoted one, or the built-in one and why. */
export type PromptChoice =
  | { readonly kind: 'promoted'; readonly text: string; readonly version: number; readonly sha256: string }
  | { readonly kind: 'built_in'; readonly text: string; readonly problem?: string };

const MAX_POINTER_BYTES = 16 * 1024;
const MAX_TEXT_BYTES = 32 * 1024;

/**
 * Reads the promoted text of a prompt: the pointer `current.json` `{version, sha256}`, then `v<version>.md`, whose SHA-256
 * must be the pointer's (spec 08 §21, §22). On any doubt the built-in text, with the problem in words; without a registry the
 * built-in text and no problem.
 *
 * @param directory `<state dir>/selfedit/registry/<prompt_id>`
 */
export function choosePrompt(directory: string, builtIn: string): PromptChoice {
  const doubt = (problem: string): PromptChoice => ({ kind: 'built_in', text: builtIn, problem });
  const pointer = readSmall(join(directory, 'current.json'), MAX_POINTER_BYTES);
  if (pointer === null) {
    return existsSync(directory) ? doubt('current.json is missing') : { kind: 'built_in', text: builtIn };
  }
  if (typeof pointer === 'string') return doubt(`current.json ${pointer}`);

  const json = parseJson(pointer.toString());
  if (!json.ok || !isRecord(json.value)) return doubt('current.json is no JSON object');
  const { version, sha256 } = json.value;
  if (
    typeof version !== 'number' ||
    !Number.isSafeInteger(version) ||
    version < 1 ||
    typeof sha256 !== 'string'
  ) {
    return doubt('current.json names no version and hash');
  }
  const name = `v${version}.md`;
  const bytes = readSmall(join(directory, name), MAX_TEXT_BYTES);
  if (bytes === null) return doubt(`${name} is missing`);
  if (typeof bytes === 'string') return doubt(`${name} ${bytes}`);
  if (createHash('sha256').update(bytes).digest('hex') !== sha256.toLowerCase()) {
    return doubt(`${name} is not the text that was promoted: its hash differs`);
  }
  const text = bytes.toString();
  return text.trim() === '' ? doubt(`${name} is empty`) : { kind: 'promoted', text, version, sha256 };
}

/** The bytes of a regular file of bounded size; null when there is none; else what is wrong with it. */
function readSmall(path: string, maxBytes: number): Buffer | string | null {
  let file: number;
  try {
    // A pipe in the place of the file must not hold the tick.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    return isAbsent(error) ? null : 'cannot be opened';
  }
  try {
    if (!fstatSync(file).isFile()) return 'is no regular file';
    const buffer = Buffer.alloc(maxBytes + 1);
    const size = readSync(file, buffer, 0, buffer.length, 0);
    return size > maxBytes ? `is larger than ${maxBytes} bytes` : buffer.subarray(0, size);
  } catch {
    return 'cannot be read';
  } finally {
    closeSync(file);
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
