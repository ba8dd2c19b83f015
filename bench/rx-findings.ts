// Whether the analysis of findings tells fixes that work from those that do not, on corpora whose truth is known.
// node bench/run.mjs bench/rx-findings.ts [SEEDS] [SESSIONS]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { analyzeFindings } from '../src/rx/findings/analyze.js';
import { sessionKey } from '../src/rx/findings/key.js';
import { type LabelledSession, labelSession } from '../src/rx/findings/labelled-episode.js';
import { locateSessions, readSession } from '../src/rx/findings/session.js';
import { EFFECTIVE, type TrueLabel, writeCorpus } from '../tests/support/rx-findings-corpus.js';

const TOP = 3;

export async function main(argv: readonly string[]): Promise<void> {
  const [seeds = 10, sessions = 200] = argv.map(Number);
  row(['seed', 'episodes', 'labelled', 'censored', 'agree', `top-${TOP}`, 'false', 'covered']);
  const precisions: number[] = [];
  for (let seed = 1; seed <= seeds; seed++) precisions.push(await oneCorpus(seed, sessions));
  const mean = precisions.reduce((sum, value) => sum + value, 0) / precisions.length;
  process.stdout.write(
    `\ntop-${TOP} precision ${mean.toFixed(3)} on average over ${seeds} corpora of ${sessions} sessions\n`,
  );
  process.stdout.write(
    'agree: labels equal to the truth, unlabelled ones included; false: actions that do nothing\n',
  );
  process.stdout.write(
    'with a lower end above 0; covered: cells whose 90 % interval holds the true uplift\n',
  );
}

async function oneCorpus(seed: number, sessions: number): Promise<number> {
  const root = mkdtempSync(join(tmpdir(), 'rx-corpus-'));
  try {
    const truths = writeCorpus(root, sessions, seed);
    const labelled: LabelledSession[] = [];
    for (const location of await locateSessions(root))
      labelled.push(await labelSession(await readSession(location)));
    const { uplift, episodes } = analyzeFindings(labelled);
    const found = truths.map((truth) => foundLabel(labelled, truth));
    const agree = truths.filter(
      (truth, i) => found[i]?.y === truth.y && found[i]?.treated === truth.treated,
    ).length;
    const hits = uplift.slice(0, TOP).filter((cell) => EFFECTIVE.has(cell.pattern)).length;
    const wrong = uplift.filter((cell) => !EFFECTIVE.has(cell.pattern) && cell.low > 0).length;
    row([
      String(seed),
      String(episodes),
      String(truths.filter((truth) => truth.y !== null).length),
      String(truths.filter((truth) => truth.y === null).length),
      `${agree}/${truths.length}`,
      (hits / TOP).toFixed(2),
      String(wrong),
      `${uplift.filter((cell) => cell.low <= trueUplift(truths, cell.pattern) && trueUplift(truths, cell.pattern) <= cell.high).length}/${uplift.length}`,
    ]);
    return hits / TOP;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Difference of the shares that ended among the true labels of this corpus. */
function trueUplift(truths: readonly TrueLabel[], pattern: string): number {
  const share = (treated: boolean) => {
    const own = truths.filter(
      (truth) => truth.treated === treated && truth.y !== null && pattern.startsWith(truth.symptom),
    );
    const same = own.filter((truth) =>
      pattern.includes(Object.values(truth.subject)[0]?.replace(':8000', '') ?? ''),
    );
    return same.filter((truth) => truth.y === 1).length / Math.max(1, same.length);
  };
  return share(true) - share(false);
}

function foundLabel(labelled: readonly LabelledSession[], truth: TrueLabel) {
  const key = sessionKey(truth.symptom, truth.subject);
  const session = labelled.find((one) => one.session_id === truth.session_id);
  return session?.episodes.find(({ episode, label }) => episode.key === key && label.from.tick === truth.tick)
    ?.label;
}

function row(cells: readonly string[]): void {
  process.stdout.write(`${cells.map((cell) => cell.padStart(10)).join('')}\n`);
}
