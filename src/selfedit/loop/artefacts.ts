import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { appendLine, privateDirectory, replaceDurable } from '../registry/files.js';
import { cutBytes } from '../store/cut-bytes.js';

/** Where a run leaves what it did (spec 08 §22); written as it happens. */
export interface Artefacts {
  /** Replaces one file, `partial: true` added while it is unfinished. */
  write(name: string, content: object, isPartial?: boolean): void;
  writeText(name: string, content: string): void;
  /** One line of the traffic log. */
  traffic(entry: object): void;
}

/** Leaves nothing. */
export const NO_ARTEFACTS: Artefacts = {
  write: () => undefined,
  writeText: () => undefined,
  traffic: () => undefined,
};

const MAX_TRAFFIC = 50 * 1024 * 1024;

const MAX_TEXT = 8 * 1024;

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
      const clean = (value: unknown): unknown =>
        typeof value === 'string' ? cutBytes(redact(value), MAX_TEXT) : value;
      const line = JSON.stringify(
        Object.fromEntries(Object.entries(entry).map(([key, value]) => [key, clean(value)])),
      );
      const size = existsSync(traffic) ? statSync(traffic).size : 0;
      if (size + line.length < MAX_TRAFFIC) appendLine(at('traffic.jsonl'), line);
    },
  };
}
