import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { LabRandom } from '../../bench/lab/random.js';
import { Lab, type Scenario } from '../../bench/lab/scenario.js';
import { SCENARIOS } from '../../bench/lab/scenarios/index.js';
import { LabWorld } from '../../bench/lab/world/world.js';

/** Lines that are part of every trace and say nothing of a fault. */
const FRAME = /^\s|^Traceback|^GPU core dump failed$|^Fatal Python error: Aborted$/;

/** All that rules, tests and documents say, in one text. */
function everythingElse(): string {
  const roots = ['src', 'tests', 'docs', '../shared/spec'];
  const files = roots.flatMap((root) => {
    try {
      return readdirSync(root, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && /\.(?:ts|md|json|txt|jsonl)$/.test(entry.name))
        .map((entry) => join(entry.parentPath, entry.name))
        .filter((path) => relative('tests/lab', path).startsWith('..'));
    } catch {
      return [];
    }
  });
  return files.map((file) => readFileSync(file, 'utf8')).join('\n');
}

/** The lines that a scenario has written into logs after its fault. */
function faultLines(scenario: Scenario): string[] {
  const random = new LabRandom(4);
  const world = new LabWorld(random, 2_000_000_000);
  const lab = new Lab(world, random, scenario.life ?? {});
  const before = new Set<string>();
  scenario.plan(lab);
  for (const log of world.logs.values()) for (const { text } of log.lines) before.add(text);
  const lines: string[] = [];
  const [fault] = lab.faults;
  while (fault !== undefined && lab.minute < fault.from + 2) {
    lab.step();
    lab.beforeTick();
  }
  for (const log of world.logs.values()) {
    for (const { text, at } of log.lines) {
      if (fault !== undefined && at >= lab.startUnix + fault.from * 60 && !before.has(text)) lines.push(text);
    }
  }
  return lines;
}

const ORDINARY =
  /Decode batch|Avg prompt throughput|server_args=|Loading safetensors|retry \d+ succeeded|fired up/;

it('the log lines of faults that claim unseen wording stand in no rule, test or document', () => {
  const corpus = everythingElse();
  const unseen = SCENARIOS.filter(({ isUnseen }) => isUnseen === true);
  const withLines = unseen.map((scenario) => ({
    name: scenario.name,
    lines: faultLines(scenario).filter((line) => !FRAME.test(line) && !ORDINARY.test(line)),
  }));
  expect(withLines.filter(({ lines }) => lines.length > 0).length).toBeGreaterThanOrEqual(15);
  const known = withLines.flatMap(({ name, lines }) =>
    lines.filter((line) => corpus.includes(line)).map((line) => `${name}: ${line}`),
  );
  expect(known).toEqual([]);
});
