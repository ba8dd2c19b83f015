import type { Screened } from './screen.js';

/** What a candidate is good at on the dev cases (spec 08 §24.5); more is better. */
interface Objectives {
  readonly bySegment: ReadonlyMap<string, number>;
  readonly shortPrompt: number;
  readonly shortAnswers: number;
}

/**
 * Edits that another one beats: at least as good in the pass rate of every segment, in the length of the prompt and of its
 * answers, and better in one of them. By edit id, with the id of the other. Of two that are equal in all, the first stays.
 */
export function dominated(screened: readonly Screened[]): ReadonlyMap<string, string> {
  const rated = screened.map((one) => ({ id: one.proposal.edit.edit_id, of: objectivesOf(one) }));
  const beaten = new Map<string, string>();
  for (const [index, loser] of rated.entries()) {
    const winner = rated.find(
      (other, at) =>
        other !== loser &&
        isAsGood(other.of, loser.of) &&
        (!isAsGood(loser.of, other.of) || (at < index && !beaten.has(other.id))),
    );
    if (winner !== undefined) beaten.set(loser.id, winner.id);
  }
  return beaten;
}

/**
 * On how many dev cases each candidate is among the best, by edit id: the front over single cases. Who is best on none has
 * nothing to give to a merge.
 */
export function bestOn(screened: readonly Screened[]): ReadonlyMap<string, number> {
  const best = new Map<string, number>();
  for (const { passes } of screened) {
    for (const [id, pass] of passes) best.set(id, Math.max(best.get(id) ?? 0, pass));
  }
  return new Map(
    screened.map(({ proposal, passes }) => [
      proposal.edit.edit_id,
      [...passes].filter(([id, pass]) => pass > 0 && pass === best.get(id)).length,
    ]),
  );
}

function objectivesOf({ passes, segments, promptTokens, outputTokens }: Screened): Objectives {
  const sums = new Map<string, { passed: number; n: number }>();
  for (const [id, pass] of passes) {
    const segment = segments.get(id) ?? '';
    const { passed, n } = sums.get(segment) ?? { passed: 0, n: 0 };
    sums.set(segment, { passed: passed + pass, n: n + 1 });
  }
  return {
    bySegment: new Map([...sums].map(([segment, { passed, n }]) => [segment, passed / n])),
    shortPrompt: -promptTokens,
    shortAnswers: -outputTokens,
  };
}

function isAsGood(a: Objectives, b: Objectives): boolean {
  const isAsShort = a.shortPrompt >= b.shortPrompt && a.shortAnswers >= b.shortAnswers;
  return isAsShort && [...b.bySegment].every(([segment, rate]) => (a.bySegment.get(segment) ?? 0) >= rate);
}
