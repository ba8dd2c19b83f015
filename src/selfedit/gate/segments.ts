import { signTest } from '../../stats/sign-test.js';
import type { SelfeditConfig } from '../config/fields.js';

/** A case that both prompts answered: its segment and its δ. */
export interface SegmentResult {
  readonly segment: string;
  readonly delta: number;
}

/** One row of the per-segment table. */
export type SegmentRow = {
  readonly segment: string;
  readonly cases: number;
  readonly wins: number;
  readonly losses: number;
  /** P(Bin(W + L, ½) ≥ L). */
  readonly harm_p: number;
  readonly status: 'ok' | 'blocked' | 'too_few';
};

type SegmentRules = Pick<SelfeditConfig, 'segment_max_net_loss' | 'segment_harm_p' | 'critical_segments'>;

/** Below this a segment only warns (spec 08 §24.6). */
const MIN_CASES = 8;

/**
 * The segment guard (spec 08 §24.6): blocked when losses exceed wins by `segment_max_net_loss` and their sign p is at most
 * `segment_harm_p`; in a critical segment when losses exceed wins at all. Rows by segment name.
 */
export function judgeSegments(results: readonly SegmentResult[], rules: SegmentRules): SegmentRow[] {
  const names = [...new Set(results.map(({ segment }) => segment))].sort();
  return names.map((segment) => {
    const own = results.filter((one) => one.segment === segment);
    const wins = own.filter(({ delta }) => delta > 0).length;
    const losses = own.filter(({ delta }) => delta < 0).length;
    const harm = signTest(losses, wins);
    const isBad = rules.critical_segments.includes(segment)
      ? losses > wins
      : losses - wins >= rules.segment_max_net_loss && harm <= rules.segment_harm_p;
    const status = own.length < MIN_CASES ? 'too_few' : isBad ? 'blocked' : 'ok';
    return { segment, cases: own.length, wins, losses, harm_p: harm, status };
  });
}
