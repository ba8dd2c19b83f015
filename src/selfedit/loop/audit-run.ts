import { signTest } from '../../stats/sign-test.js';
import type { Case } from '../cases/case.js';
import { judgeAudit } from '../judge/judge-audit.js';
import { meanOr0 } from '../numbers.js';
import type { PairRow } from '../store/run-store.js';
import type { Measured } from './measure.js';
import { mapLimited } from './pool.js';
import type { AuditReport } from './report.js';
import type { RunContext } from './run-context.js';
import { segmentResults } from './units.js';

const FALL = 0.1;
const OLD_BETTER_P = 0.1;

/** An audit case with both answers. */
export interface AuditedCase {
  readonly one: Case;
  readonly before: string;
  readonly after: string;
}

/** Upper bound of an audit, US dollars. */
export function auditCostUsd(context: RunContext, prompts: readonly string[]): number {
  const { cases, judge } = context.parts;
  const rated = judge === null ? 0 : 2 * cases.audit.reduce((sum, one) => sum + judge.worstCaseUsd(one), 0);
  return context.worstCaseUsd(prompts, cases.audit) / context.replicates + rated;
}

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
  const answers = new Map<string, { before?: Measured; after?: Measured }>();
  const keep = async (one: Case, side: 'before' | 'after', asked: Promise<Measured>): Promise<Measured> => {
    const measured = await asked;
    answers.set(one.case_id, { ...answers.get(one.case_id), [side]: measured });
    return measured;
  };
  const pairs: PairRow[] = await mapLimited(parts.cases.audit, parts.config.parallelism, (one) =>
    measurer.pair(
      one,
      0,
      settings.seed,
      () => keep(one, 'before', measurer.fresh(before, one, 0)),
      () => keep(one, 'after', measurer.fresh(after, one, 0)),
    ),
  );
  measurer.settle();
  const complete = pairs.filter(({ pass_a, pass_b }) => pass_a !== null && pass_b !== null);
  const humanIds = new Set(
    parts.cases.audit.filter(({ source }) => source === 'human').map(({ case_id }) => case_id),
  );
  const human = complete.filter(({ case_id }) => humanIds.has(case_id));
  const results = segmentResults(complete);
  const gains = results.filter(({ delta }) => delta > 0).length;
  const falls = results.filter(({ delta }) => delta < 0).length;
  const p = signTest(falls, gains);
  const isBelow = confirmAccuracy !== null && accuracy(complete, 'pass_b') <= confirmAccuracy - FALL;
  const audited = parts.cases.audit.flatMap((one): AuditedCase[] => {
    const own = answers.get(one.case_id);
    const isWhole = typeof own?.before?.passed === 'boolean' && typeof own.after?.passed === 'boolean';
    return isWhole ? [{ one, before: own.before?.output ?? '', after: own.after?.output ?? '' }] : [];
  });
  return {
    before: accuracy(complete, 'pass_a'),
    after: accuracy(complete, 'pass_b'),
    n: complete.length,
    p_old_better: p,
    confirm_accuracy: confirmAccuracy,
    oracle_drift: complete.length > 0 && (isBelow || p <= OLD_BETTER_P),
    human: { n: human.length, before: accuracy(human, 'pass_a'), after: accuracy(human, 'pass_b') },
    judge: parts.judge === null ? null : await judgeAudit(parts, settings.runId, parts.judge, audited),
  };
}

/** What a human needs to judge the flag: with few audit cases ten points can be chance. */
export function driftNote({
  before,
  after,
  n,
  confirm_accuracy: confirmed,
  p_old_better: p,
}: AuditReport): string {
  const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
  const beside = confirmed === null ? '' : ` (${percent(confirmed)} of the confirm cases)`;
  return `the new prompt passes ${percent(after)} of ${n} audit cases${beside}, the old one ${percent(before)}; sign p of the old one being better ${p.toFixed(2)}`;
}

function accuracy(pairs: readonly PairRow[], side: 'pass_a' | 'pass_b'): number {
  return meanOr0(pairs.map((pair) => pair[side] ?? 0));
}
