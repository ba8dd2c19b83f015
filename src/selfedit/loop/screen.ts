import { diffCounts } from '../prompt/line-diff.js';
import { tokensOf } from '../prompt/tokens.js';
import type { CurrentPrompt } from '../registry/registry.js';
import type { Proposal } from './parts.js';
import { mapLimited } from './pool.js';
import type { Tally } from './report.js';
import type { RunContext } from './run-context.js';
import { segmentResults } from './units.js';

/** A screened edit. */
export interface Screened {
  readonly proposal: Proposal;
  readonly tally: Tally;
  /** Share of dev cases that the base failed. */
  readonly baseFailRate: number;
  readonly errorShare: number;
  readonly candidate: string;
}

/** Net wins that an edit needs on the dev cases: max(2, ⌈share · n⌉) (spec 08 §24.2). */
export function netNeeded(devCases: number, share: number): number {
  return Math.max(2, Math.ceil(share * devCases - 1e-9));
}

/**
 * Runs an edit on the dev cases beside its base. A base of a deterministic provider is measured once per version; else it
 * runs again beside each edit, because a lucky baseline would bias every edit the same way (spec 08 §24.8).
 */
export async function screen(
  context: RunContext,
  base: CurrentPrompt,
  proposal: Proposal,
  candidate: string,
): Promise<Screened> {
  const { parts, settings, measurer } = context;
  const { edit_id } = proposal.edit;
  measurer.begin('screen', edit_id);
  const known = parts.runs.pairs(settings.runId, edit_id, 'screen');
  const done = new Set(known.map(({ case_id, replicate }) => `${case_id} ${replicate}`));
  const todo = parts.cases.dev.flatMap((one) =>
    Array.from({ length: context.replicates }, (_, replicate) => ({ one, replicate })).filter(
      ({ replicate }) => !done.has(`${one.case_id} ${replicate}`),
    ),
  );
  const made = await mapLimited(todo, parts.config.parallelism, async ({ one, replicate }) => {
    const pair = await measurer.pair(
      one,
      replicate,
      settings.seed,
      () => measurer.reusable(base.text, base.sha256, one, replicate),
      () => measurer.fresh(candidate, one, replicate),
    );
    measurer.keep(edit_id, 'screen', pair);
    return pair;
  });
  measurer.settle();
  const pairs = [...known, ...made];
  const results = segmentResults(pairs);
  const passes = pairs.flatMap(({ pass_a }) => (pass_a === null ? [] : [pass_a]));
  return {
    proposal,
    candidate,
    tally: {
      wins: results.filter(({ delta }) => delta > 0).length,
      losses: results.filter(({ delta }) => delta < 0).length,
      n: results.length,
    },
    baseFailRate: passes.filter((pass) => pass === 0).length / Math.max(1, passes.length),
    errorShare:
      pairs.filter(({ pass_a, pass_b }) => pass_a === null || pass_b === null).length /
      Math.max(1, pairs.length),
  };
}

/** Best first: net, then fewer tokens, then the smaller edit; in a script by its names (spec 08 §24.2, §23). */
export function bestFirst(
  screened: readonly Screened[],
  base: string,
  tieBreak: 'cost' | 'label',
): Screened[] {
  const net = ({ tally }: Screened): number => tally.wins - tally.losses;
  const name = ({ proposal }: Screened): string => proposal.label ?? proposal.edit.edit_id;
  const cost = (one: Screened): readonly [tokens: number, lines: number] => [
    tokensOf(one.candidate).length,
    diffCounts(base, one.candidate).total,
  ];
  return [...screened].sort((a, b) => {
    if (net(a) !== net(b)) return net(b) - net(a);
    if (tieBreak === 'cost') {
      const [tokensA, linesA] = cost(a);
      const [tokensB, linesB] = cost(b);
      if (tokensA !== tokensB) return tokensA - tokensB;
      if (linesA !== linesB) return linesA - linesB;
    }
    return name(a) < name(b) ? -1 : 1;
  });
}
