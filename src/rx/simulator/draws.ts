import { Mt19937 } from '../../stats/mt19937.js';

/** How a simulated run gets its luck (06 A.4, F.1). */
export type SimulatorStreams = 'independent' | 'reference';

/** The random numbers of one run; each call is one decision of one agent. */
export interface RunDraws {
  planner(): number;
  friction(): number;
  /** The navigator's decision on faults in a turn; not every turn asks for it. */
  fault(turn: number): number;
  scout(): number;
}

/** Draws for the run with this seed; `turns` bounds how many an agent may take. */
export function runDraws(streams: SimulatorStreams, seed: number, turns: number): RunDraws {
  return streams === 'reference' ? sharedDraws(seed) : independentDraws(seed, turns);
}

/** One generator serves all three agents in turn, as in the reference: a change to one shifts the luck of the next. */
function sharedDraws(seed: number): RunDraws {
  const random = new Mt19937(seed);
  const next = (): number => random.random();
  return { planner: next, friction: next, fault: next, scout: next };
}

/** Four generators, seeded seed·4 + a; the fault stream advances every turn whether used or not (06 F.1). */
function independentDraws(seed: number, turns: number): RunDraws {
  const planner = new Mt19937(seed * 4);
  const friction = new Mt19937(seed * 4 + 1);
  const fault = new Mt19937(seed * 4 + 2);
  const scout = new Mt19937(seed * 4 + 3);
  const faults = Array.from({ length: turns }, () => fault.random());
  return {
    planner: () => planner.random(),
    friction: () => friction.random(),
    fault: (turn) => faults[turn] ?? 0,
    scout: () => scout.random(),
  };
}
