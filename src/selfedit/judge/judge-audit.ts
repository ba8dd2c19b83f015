import type { AuditedCase } from '../loop/audit-run.js';
import type { LoopParts } from '../loop/parts.js';
import { mapLimited } from '../loop/pool.js';
import type { JudgeReport } from '../loop/report.js';
import { meanOr0 } from '../numbers.js';
import type { Judge, Rating } from './judge.js';

/** Rates both answers of each audit case, one by one, so that neither is seen beside the other; books what it cost. */
export async function judgeAudit(
  { runs, config, artefacts }: Pick<LoopParts, 'runs' | 'config' | 'artefacts'>,
  runId: string,
  judge: Judge,
  audited: readonly AuditedCase[],
): Promise<JudgeReport> {
  const rate = async ({ one }: AuditedCase, answer: string): Promise<number | null> => {
    const rating = await judge.rate(one, answer);
    const { calls, inputTokens, outputTokens, usd, estimated } = rating.usage;
    const tokens = inputTokens + outputTokens;
    runs.spend(
      runId,
      { role: 'judge', model: judge.model, calls, tokens, usd, estimated },
      { stage: 'audit' },
    );
    artefacts.traffic(() => ({ role: 'judge', model: judge.model, case_id: one.case_id, ...said(rating) }));
    return rating.ok ? rating.score : null;
  };
  const rated = await mapLimited(audited, config.parallelism, async (own) => ({
    before: await rate(own, own.before),
    after: await rate(own, own.after),
  }));
  const whole = rated.flatMap(({ before, after }) =>
    before === null || after === null ? [] : [{ before, after }],
  );
  return {
    model: judge.model,
    before: meanOr0(whole.map(({ before }) => before)),
    after: meanOr0(whole.map(({ after }) => after)),
    n: whole.length,
    unrated: rated.flatMap(({ before, after }) => [before, after]).filter((score) => score === null).length,
  };
}

function said(rating: Rating): object {
  return rating.ok ? { score: rating.score } : { problem: rating.problem };
}
