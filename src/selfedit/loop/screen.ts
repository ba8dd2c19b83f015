import type { Case } from '../cases/case.js';
import { uniform } from '../hash.js';
import { meanOr0 } from '../numbers.js';
import { diffCounts } from '../prompt/line-diff.js';
import { tokensOf } from '../prompt/tokens.js';
import type { CurrentPrompt } from '../registry/registry.js';
import type { PairRow } from '../store/run-store.js';
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
  /** It was so bad on the first dev cases that the others were not run. */
  readonly isDropped: boolean;
  /** How the candidate did on each dev case that both sides answered, 0 to 1. */
  readonly passes: ReadonlyMap<string, number>;
  /** Segment of each of those cases. */
  readonly segments: ReadonlyMap<string, string>;
  readonly promptTokens: number;
  /** Mean of the candidate's answers. */
  readonly outputTokens: number;
}

/** An edit is dropped after this many dev cases … */
const RACE_CASES = 20;
/** … when wins less losses are this few (spec 08 §24.5). */
const RACE_NET = -2;

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
  const run = async (cases: readonly Case[]): Promise<PairRow[]> => {
    const todo = cases.flatMap((one) =>
      Array.from({ length: context.replicates }, (_, replicate) => ({ one, replicate })).filter(
        ({ replicate }) => !done.has(`${one.case_id} ${replicate}`),
      ),
    );
    return mapLimited(todo, parts.config.parallelism, async ({ one, replicate }) => {
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
  };
  const [first, rest] = heats(parts.cases.dev, settings.seed, settings.hasSearch);
  const made = await run(first);
  const isFirst = new Set(first.map(({ case_id }) => case_id));
  const early = tallyOf([...known.filter(({ case_id }) => isFirst.has(case_id)), ...made]);
  const isDropped = rest.length > 0 && early.wins - early.losses <= RACE_NET;
  if (!isDropped) made.push(...(await run(rest)));
  measurer.settle();
  return judged({ proposal, candidate, isDropped }, [...known, ...made]);
}

/** The cases that decide whether the others are run, and those others. */
function heats(dev: readonly Case[], seed: number, hasSearch: boolean): [first: Case[], rest: Case[]] {
  if (!hasSearch || dev.length <= RACE_CASES) return [[...dev], []];
  const order = dev
    .map((one) => ({ one, at: uniform(`race|${seed}|${one.case_id}`) }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one);
  return [order.slice(0, RACE_CASES), order.slice(RACE_CASES)];
}

function tallyOf(pairs: readonly PairRow[]): Tally {
  const results = segmentResults(pairs);
  return {
    wins: results.filter(({ delta }) => delta > 0).length,
    losses: results.filter(({ delta }) => delta < 0).length,
    n: results.length,
  };
}

function judged(
  edit: Pick<Screened, 'proposal' | 'candidate' | 'isDropped'>,
  pairs: readonly PairRow[],
): Screened {
  const passesA = pairs.flatMap(({ pass_a }) => (pass_a === null ? [] : [pass_a]));
  const complete = pairs.flatMap(({ case_id, segment, pass_a, pass_b }) =>
    pass_a === null || pass_b === null ? [] : [{ case_id, segment, pass: pass_b }],
  );
  const byCase = new Map<string, number[]>();
  for (const { case_id, pass } of complete) byCase.set(case_id, [...(byCase.get(case_id) ?? []), pass]);
  return {
    ...edit,
    tally: tallyOf(pairs),
    baseFailRate: passesA.filter((pass) => pass === 0).length / Math.max(1, passesA.length),
    errorShare: (pairs.length - complete.length) / Math.max(1, pairs.length),
    passes: new Map([...byCase].map(([id, passes]) => [id, meanOr0(passes)])),
    segments: new Map(complete.map(({ case_id, segment }) => [case_id, segment])),
    promptTokens: tokensOf(edit.candidate).length,
    outputTokens: meanOr0(
      pairs.flatMap(({ pass_b, output_tokens_b }) =>
        pass_b === null || output_tokens_b === null ? [] : [output_tokens_b],
      ),
    ),
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
  return [...screened].sort((a, b) => {
    if (net(a) !== net(b)) return net(b) - net(a);
    if (tieBreak === 'cost') {
      if (a.promptTokens !== b.promptTokens) return a.promptTokens - b.promptTokens;
      const [linesA, linesB] = [a, b].map(({ candidate }) => diffCounts(base, candidate).total);
      if (linesA !== linesB) return (linesA ?? 0) - (linesB ?? 0);
    }
    return name(a) < name(b) ? -1 : 1;
  });
}
