// What the demo promotes over many seeds, our gate and the reference's: node bench/run.mjs bench/selfedit-demo.ts [SEEDS]
// Figures of spec 08 §23; seeded, so that every run prints the same numbers (times aside).
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BAD_LABELS, GOOD_LABELS } from '../src/selfedit/demo/demo-edits.js';
import { demoCaseSet, runDemo } from '../src/selfedit/demo/run-demo.js';
import { type ReferenceOptions, runReference } from '../src/selfedit/demo/run-reference.js';
import { openStore } from '../src/selfedit/store/open-store.js';

const LABELS = ['g1', 'g2', 'g3', 'n1', 'n2', 'n3', 'h1', 'h2', 'h3', 's1', 'l1', 'x1', 'x2', 'x3'];

interface Tally {
  readonly promoted: Map<string, number>;
  all: number;
  anyBad: number;
  calls: number;
  mostCalls: number;
  accuracy: number;
}

const emptyTally = (): Tally => ({
  promoted: new Map(),
  all: 0,
  anyBad: 0,
  calls: 0,
  mostCalls: 0,
  accuracy: 0,
});

export async function main(argv: readonly string[]): Promise<void> {
  const seeds = Number(argv[0] ?? 200);
  const start = performance.now();
  const ours = emptyTally();
  for (let seed = 0; seed < seeds; seed += 1) {
    const directory = mkdtempSync(join(tmpdir(), 'selfedit-'));
    const opened = await openStore(':memory:');
    if (!opened.ok) throw new Error(opened.problem);
    const report = await runDemo({ seed, directory, db: opened.db });
    opened.db.close();
    rmSync(directory, { recursive: true, force: true });
    add(ours, promotedOf(report.edits), report.calls, report.audit?.after ?? 0);
  }
  const seconds = (performance.now() - start) / 1000;
  process.stdout.write(
    `gate                     ${LABELS.map((label) => label.padStart(5)).join('')}   all   bad  calls   max\n`,
  );
  print('ours', ours, seeds);
  process.stdout.write(
    `mean audit accuracy ${(ours.accuracy / seeds).toFixed(3)}; ${(seconds / seeds).toFixed(2)} s per seed\n`,
  );
  const cases = demoCaseSet();
  const variants: [string, Omit<ReferenceOptions, 'seed'>][] = [
    ['reference, 180 tasks', { tasks: 180 }],
    ['reference, 40 tasks', { tasks: 40 }],
    ['reference, 40 seen', { tasks: 40, seen: true }],
  ];
  for (const [name, options] of variants) {
    const tally = emptyTally();
    for (let seed = 0; seed < seeds; seed += 1) {
      const report = await runReference(cases, { seed, ...options });
      add(tally, promotedOf(report.edits), report.calls, 0);
    }
    print(name, tally, seeds);
  }
}

function promotedOf(edits: readonly { label: string | null; verdict: string }[]): string[] {
  return edits.filter(({ verdict }) => verdict === 'promote').map(({ label }) => label ?? '');
}

function add(tally: Tally, promoted: readonly string[], calls: number, accuracy: number): void {
  for (const label of promoted) tally.promoted.set(label, (tally.promoted.get(label) ?? 0) + 1);
  if (GOOD_LABELS.every((label) => promoted.includes(label))) tally.all += 1;
  if (promoted.some((label) => BAD_LABELS.has(label))) tally.anyBad += 1;
  tally.calls += calls;
  tally.mostCalls = Math.max(tally.mostCalls, calls);
  tally.accuracy += accuracy;
}

function print(name: string, tally: Tally, seeds: number): void {
  const share = (count: number): string => ((100 * count) / seeds).toFixed(1).padStart(5);
  const cells = LABELS.map((label) => share(tally.promoted.get(label) ?? 0)).join('');
  const calls = `${Math.round(tally.calls / seeds)}`.padStart(7) + `${tally.mostCalls}`.padStart(6);
  process.stdout.write(`${name.padEnd(25)}${cells} ${share(tally.all)} ${share(tally.anyBad)}${calls}\n`);
}
