import { bootstrapMean } from '../../stats/bootstrap.js';
import { mean } from '../../stats/descriptive.js';
import { Mt19937 } from '../../stats/mt19937.js';
import { holmAdjusted } from '../../stats/multiplicity.js';
import { permutationTest } from '../../stats/permutation.js';
import { type PairCounts, signFlipTestOnRates } from '../../stats/sign-flip-test.js';
import { bootstrapDifference } from '../../stats/two-sample-bootstrap.js';
import { failuresOf, type RunRates } from './run-rates.js';

/** How two batches were compared. */
export interface ComparisonDesign {
  /** `paired`: the same runs on both sides; `descriptive`: too few runs to test. */
  readonly kind: 'paired' | 'unpaired' | 'descriptive';
  readonly reason: string;
  readonly runs_before: number;
  readonly runs_after: number;
}

/** One hypothesis: all failures, or one classification. */
export interface RateTest {
  /** `total` or a classification. */
  readonly name: string;
  /** Mean failure rate per run. */
  readonly rate_before: number;
  readonly rate_after: number;
  /** After minus before; positive is worse. */
  readonly difference: number;
  /** 95 % bootstrap interval over runs; null when nothing was tested. */
  readonly low: number | null;
  readonly high: number | null;
  /** One-sided, and adjusted by Holm over all names; null when nothing was tested. */
  readonly p_worse: number | null;
  readonly p_better: number | null;
  readonly p_worse_holm: number | null;
  readonly p_better_holm: number | null;
  readonly verdict: 'worse' | 'better' | 'no evidence' | 'not tested';
}

export interface RateComparison {
  readonly design: ComparisonDesign;
  readonly tests: readonly RateTest[];
  /** A significant harm after Holm. */
  readonly regression: boolean;
}

export const TOTAL = 'total';

const FEWEST_RUNS = 4;
const ALPHA = 0.05;

/**
 * Compares two batches run by run (spec 06 F.6): the unit is the run, rates are per action. Runs that occur on both sides are
 * paired (exact sign flips in both directions); else run labels are permuted. Holm over the total and the classes, in each
 * direction.
 */
export function compareRates(
  before: readonly RunRates[],
  after: readonly RunRates[],
  seed: number,
): RateComparison {
  const pairs = pairRuns(before, after);
  const design = chooseDesign(before, after, pairs);
  const names = [null, ...classNames([...before, ...after])];
  const measured = names.map((name) => {
    const random = new Mt19937(seed);
    if (design.kind === 'paired') return pairedTest(pairs ?? [], name, random);
    return unpairedTest(before, after, name, design.kind === 'unpaired' ? random : null);
  });
  const worse = holmAdjusted(measured.map((test) => test.p_worse ?? 1));
  const better = holmAdjusted(measured.map((test) => test.p_better ?? 1));
  const tested = design.kind !== 'descriptive';
  const tests = measured.map((test, i): RateTest => {
    const adjusted = { p_worse_holm: worse[i] ?? 1, p_better_holm: better[i] ?? 1 };
    if (!tested) return { ...test, p_worse_holm: null, p_better_holm: null, verdict: 'not tested' };
    return { ...test, ...adjusted, verdict: verdictOf(adjusted.p_worse_holm, adjusted.p_better_holm) };
  });
  return { design, tests, regression: tests.some((test) => test.verdict === 'worse') };
}

type RunPair = readonly [before: RunRates, after: RunRates];
type Measured = Omit<RateTest, 'p_worse_holm' | 'p_better_holm' | 'verdict'>;

/** The pairs when every run of the smaller batch occurs in the other, else null. */
function pairRuns(before: readonly RunRates[], after: readonly RunRates[]): RunPair[] | null {
  const byName = new Map(after.map((run) => [run.run, run]));
  const pairs = before.flatMap((run): RunPair[] => {
    const other = byName.get(run.run);
    return other === undefined ? [] : [[run, other]];
  });
  return pairs.length > 0 && pairs.length === Math.min(before.length, after.length) ? pairs : null;
}

function chooseDesign(
  before: readonly RunRates[],
  after: readonly RunRates[],
  pairs: readonly RunPair[] | null,
): ComparisonDesign {
  const sizes = { runs_before: before.length, runs_after: after.length };
  const fewest = pairs?.length ?? Math.min(before.length, after.length);
  if (fewest < FEWEST_RUNS) {
    const unit = pairs === null ? 'run' : 'pair';
    const reason = `${fewest} ${unit}${fewest === 1 ? '' : 's'} to compare, ${FEWEST_RUNS} needed to test`;
    return { kind: 'descriptive', reason, ...sizes };
  }
  if (pairs === null) return { kind: 'unpaired', reason: 'the batches hold different runs', ...sizes };
  return { kind: 'paired', reason: `${pairs.length} runs occur in both batches`, ...sizes };
}

function pairedTest(pairs: readonly RunPair[], name: string | null, random: Mt19937): Measured {
  const counts = (first: 0 | 1): PairCounts[] =>
    pairs.map((pair) => {
      const control = pair[first];
      const treatment = pair[first === 0 ? 1 : 0];
      return {
        controlFailures: failuresOf(control, name),
        controlActions: control.actions,
        treatmentFailures: failuresOf(treatment, name),
        treatmentActions: treatment.actions,
      };
    });
  const differences = pairs.map(([before, after]) => rateOf(after, name) - rateOf(before, name));
  const interval = bootstrapMean(differences, { random });
  return {
    ...described(
      pairs.map(([before]) => before),
      pairs.map(([, after]) => after),
      name,
    ),
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    p_worse: signFlipTestOnRates(counts(1), random),
    p_better: signFlipTestOnRates(counts(0), random),
  };
}

function unpairedTest(
  before: readonly RunRates[],
  after: readonly RunRates[],
  name: string | null,
  random: Mt19937 | null,
): Measured {
  const base = described(before, after, name);
  if (random === null) return { ...base, low: null, high: null, p_worse: null, p_better: null };
  const first = before.map((run) => rateOf(run, name));
  const second = after.map((run) => rateOf(run, name));
  const test = permutationTest(first, second, random);
  const interval = bootstrapDifference(first, second, random);
  return {
    ...base,
    low: interval?.low ?? null,
    high: interval?.high ?? null,
    p_worse: test.pGreater,
    p_better: test.pLess,
  };
}

function described(before: readonly RunRates[], after: readonly RunRates[], name: string | null) {
  const rateBefore = meanRate(before, name);
  const rateAfter = meanRate(after, name);
  return {
    name: name ?? TOTAL,
    rate_before: rateBefore,
    rate_after: rateAfter,
    difference: rateAfter - rateBefore,
  };
}

function verdictOf(worse: number, better: number): RateTest['verdict'] {
  if (worse <= ALPHA) return 'worse';
  return better <= ALPHA ? 'better' : 'no evidence';
}

function rateOf(run: RunRates, name: string | null): number {
  return failuresOf(run, name) / run.actions;
}

function meanRate(runs: readonly RunRates[], name: string | null): number {
  return runs.length === 0 ? 0 : mean(runs.map((run) => rateOf(run, name)));
}

function classNames(runs: readonly RunRates[]): string[] {
  return [...new Set(runs.flatMap((run) => [...run.by_class.keys()]))].sort();
}
