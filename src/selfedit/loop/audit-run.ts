import { signTest } from '../../stats/sign-test.js';
import { meanOr0 } from '../numbers.js';
import type { PairRow } from '../store/run-store.js';
import { mapLimited } from './pool.js';
import type { AuditReport } from './report.js';
import type { RunContext } from './run-context.js';
import { segmentResults } from './units.js';

const FALL = 0.1;
const OLD_BETTER_P = 0.1;

/**
 * The honest accuracy after a promotion, old and new prompt on the audit cases, which never gate (spec 08 §24.9). Ten points
 * below the confirm accuracy, or old better at p ≤ 0.1: `oracle_drift`, promotions freeze until somebody has looked.
 *
 * @param confirmAccuracy share of confirm cases that the new prompt passed
 */
export async function auditRun(
  context: RunContext,
  before: string,
  after: string,
  confirmAccuracy: number | null,
): Promise<AuditReport> {
  const { parts, settings, measurer } = context;
  measurer.begin('audit');
  const pairs: PairRow[] = await mapLimited(parts.cases.audit, parts.config.parallelism, (one) =>
    measurer.pair(
      one,
      0,
      settings.seed,
      () => measurer.fresh(before, one, 0),
      () => measurer.fresh(after, one, 0),
    ),
  );
  measurer.settle();
  const complete = pairs.filter(({ pass_a, pass_b }) => pass_a !== null && pass_b !== null);
  const accuracy = (side: 'pass_a' | 'pass_b'): number => meanOr0(complete.map((pair) => pair[side] ?? 0));
  const results = segmentResults(complete);
  const gains = results.filter(({ delta }) => delta > 0).length;
  const falls = results.filter(({ delta }) => delta < 0).length;
  const p = signTest(falls, gains);
  const isBelow = confirmAccuracy !== null && accuracy('pass_b') <= confirmAccuracy - FALL;
  return {
    before: accuracy('pass_a'),
    after: accuracy('pass_b'),
    n: complete.length,
    p_old_better: p,
    confirm_accuracy: confirmAccuracy,
    oracle_drift: complete.length > 0 && (isBelow || p <= OLD_BETTER_P),
  };
}
