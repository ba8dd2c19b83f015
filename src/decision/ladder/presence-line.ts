import type { Evaluation } from './evaluation.js';

/** Why a present symptom sent nothing. */
export type MuteReason = 'cooldown_ticks' | 'inhibition_enabled' | 'silence';

/** One line of the presence file: what was there, and why it said nothing (spec 01 §6). */
export type PresenceLine = {
  readonly tick_index: number;
  /** Unix s. */
  readonly timestamp_unix: number;
  /** Keys of all listed symptoms. */
  readonly present: readonly string[];
  /** Key to reason, for those that sent nothing. */
  readonly muted: Readonly<Record<string, MuteReason>>;
  /** Names of symptoms that could not be judged. */
  readonly undecided: readonly string[];
};

const MAX_LISTED = 64;

/** The presence line of one evaluation. `heard`: keys of which something went out. */
export function presenceLine(
  { tick, now, listed }: Evaluation,
  facts: {
    readonly heard: ReadonlySet<string>;
    readonly silenced: ReadonlySet<string>;
    readonly explained: { has(key: string): boolean };
    readonly undecided: readonly string[];
  },
): PresenceLine {
  const reasonOf = (key: string): MuteReason => {
    if (facts.silenced.has(key)) return 'silence';
    return facts.explained.has(key) ? 'inhibition_enabled' : 'cooldown_ticks';
  };
  const shown = listed.slice(0, MAX_LISTED).map(({ key }) => key);
  const muted = shown.filter((key) => !facts.heard.has(key)).map((key) => [key, reasonOf(key)] as const);
  return {
    tick_index: tick,
    timestamp_unix: now,
    present: shown,
    muted: Object.fromEntries(muted),
    undecided: facts.undecided.slice(0, MAX_LISTED),
  };
}
