import { isObject, type Json, type JsonObject } from '../../foreign/json.js';
import { parseWriterJson } from '../../foreign/writer-json.js';
import { type FileContent, type FileRefusal, type ReadLimits, readTextBounded } from './read-file.js';

export type JsonFile<T extends Json> =
  | (Omit<FileContent, 'bytes' | 'offset'> & { readonly value: T })
  | FileRefusal
  | {
      readonly ok: false;
      readonly reason: 'corrupt';
      readonly detail: string;
      readonly size: number;
      readonly mtimeUnix: number;
    };

/** Reads a file of JSON as Python writes it (spec 02 §9), with the care of `readFileBounded`. */
export function readJson(path: string, limits: ReadLimits): JsonFile<Json> {
  const read = readTextBounded(path, limits);
  if (!read.ok) return read;
  const { ok, size, mtimeUnix, dev, ino, text } = read;
  const parsed = parseWriterJson(text);
  if (!parsed.ok) return { ok: false, reason: 'corrupt', detail: parsed.message, size, mtimeUnix };
  return { ok, size, mtimeUnix, dev, ino, value: parsed.value };
}

/** As `readJson`; anything but an object at the top is corrupt. */
export function readJsonObject(path: string, limits: ReadLimits): JsonFile<JsonObject> {
  const read = readJson(path, limits);
  if (!read.ok) return read;
  if (isObject(read.value)) return { ...read, value: read.value };
  const { size, mtimeUnix } = read;
  return { ok: false, reason: 'corrupt', detail: 'not an object', size, mtimeUnix };
}
