import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson } from '../../foreign/json.js';
import { privateDirectory, replaceDurable } from '../registry/files.js';
import type { Case } from './case.js';
import { parseCase } from './parse-case.js';

/** All cases of a prompt, and what could not be read. */
export interface LoadedCases {
  readonly cases: readonly Case[];
  /** With file and line. */
  readonly problems: readonly string[];
}

const MAX_FILE = 64 * 1024 * 1024;
const MAX_CASES = 50_000;

/** Reads `cases/<prompt_id>/*.jsonl`, one case per line; equal ids are a problem, and equal inputs in two groups. */
export function loadCases(directory: string, promptId: string, classes: ReadonlySet<string>): LoadedCases {
  if (!existsSync(directory)) return { cases: [], problems: [] };
  const names = readdirSync(directory)
    .filter((name) => name.endsWith('.jsonl'))
    .sort();
  const cases: Case[] = [];
  const problems: string[] = [];
  const seen = new Set<string>();
  const groupOf = new Map<string, Case>();
  for (const name of names) {
    const read = readCases(join(directory, name), promptId, classes);
    problems.push(...read.problems.map((problem) => `${name}: ${problem}`));
    for (const one of read.cases) {
      const twin = groupOf.get(one.sha256) ?? one;
      groupOf.set(one.sha256, twin);
      // In two groups it could be shown to the analyzer and test its edits, too.
      if (twin.group_id !== one.group_id)
        problems.push(`${name}: ${one.case_id} has the input of ${twin.case_id}, and another group_id`);
      if (seen.has(one.case_id)) problems.push(`${name}: ${one.case_id} occurs twice`);
      else if (cases.length < MAX_CASES) cases.push(one);
      seen.add(one.case_id);
    }
  }
  return { cases, problems };
}

/** Reads one file of cases. */
export function readCases(path: string, promptId: string, classes: ReadonlySet<string>): LoadedCases {
  if (statSync(path).size > MAX_FILE) return { cases: [], problems: [`larger than ${MAX_FILE} bytes`] };
  return parseCases(readFileSync(path, 'utf8'), promptId, classes);
}

/** Reads cases, one JSON object per line. */
export function parseCases(content: string, promptId: string, classes: ReadonlySet<string>): LoadedCases {
  const cases: Case[] = [];
  const problems: string[] = [];
  for (const [index, line] of content.split('\n').entries()) {
    if (line.trim() === '') continue;
    const json = parseJson(line);
    const read = json.ok ? parseCase(json.value, promptId, classes) : null;
    if (read?.ok) cases.push(read.value);
    else problems.push(`line ${index + 1}: ${read === null ? 'is not JSON' : read.problem}`);
  }
  return { cases, problems };
}

/** Writes a file of cases in one step. */
export function writeCases(directory: string, name: string, cases: readonly Case[]): void {
  privateDirectory(directory);
  replaceDurable(join(directory, name), cases.map((one) => `${JSON.stringify(one)}\n`).join(''));
}
