/** A limit of the run does not cover the next stage: it stops between stages, never inside one, and can be resumed (spec 08 §24.8). */
export class LimitStop extends Error {
  readonly limit: 'budget' | 'time';

  constructor(limit: 'budget' | 'time', message: string) {
    super(message);
    this.name = 'LimitStop';
    this.limit = limit;
  }
}

/** @param neededUsd upper bound of the next stage, US dollars */
export function budgetStop(neededUsd: number, leftUsd: number): LimitStop {
  const left = Math.max(0, leftUsd).toFixed(4);
  return new LimitStop(
    'budget',
    `the next stage can cost ${neededUsd.toFixed(4)} USD, and ${left} USD are left`,
  );
}
