import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { appendLine, privateDirectory, replaceDurable } from '../registry/files.js';
import { cutBytes } from '../store/cut-bytes.js';

/** Where a run leaves what it did (spec 08 §22); written as it happens. */
export interface Artefacts {
  /** Replaces one file, `partial: true` added while it is unfinished. */
  write(name: string, content: object, isPartial?: boolean): void;
  writeText(name: string, content: string): void;
  /** One line of the traffic log; asked for only when there is one. */
  traffic(entry: () => object): void;
}

/** Leaves nothing. */
export const NO_ARTEFACTS: Artefacts = {
  write: () => undefined,
  writeText: () => undefined,
  traffic: () => undefined,
};

const MAX_TRAFFIC = 50 * 1024 * 1024;

/** A line of JSONL has at most this; texts are cut to less and less until it fits (spec 08 §24.11). */
const MAX_LINE = 64 * 1024;
const TEXT_LIMITS = [24 * 1024, 8 * 1024, 2 * 1024] as const;

/** Files below `runs/<run_id>/`; texts of the traffic log are masked and cut, and it stops at 50 MiB. */
export function artefactsIn(directory: string, redact: (text: string) => string): Artefacts {
  const at = (name: string): string => {
    const path = join(directory, name);
    privateDirectory(join(path, '..'));
    return path;
  };
  const traffic = join(directory, 'traffic.jsonl');
  return {
    write(name, content, isPartial = false) {
      const body = isPartial ? { ...content, partial: true } : content;
      replaceDurable(at(name), `${JSON.stringify(body, null, 2)}\n`);
    },
    writeText(name, content) {
      replaceDurable(at(name), content);
    },
    traffic(entry) {
      const line = boundedLine(entry(), redact);
      const size = existsSync(traffic) ? statSync(traffic).size : 0;
      if (size + line.length < MAX_TRAFFIC) appendLine(at('traffic.jsonl'), line);
    },
  };
}

function boundedLine(entry: object, redact: (text: string) => string): string {
  let line = '';
  for (const limit of TEXT_LIMITS) {
    const clean = (value: unknown): unknown =>
      typeof value === 'string' ? cutBytes(redact(value), limit) : value;
    line = JSON.stringify(
      Object.fromEntries(Object.entries(entry).map(([key, value]) => [key, clean(value)])),
    );
    if (Buffer.byteLength(line) < MAX_LINE) break;
  }
  return line;
}
