import type { RunConfig } from '../types.js';
import type { RunDraws } from './draws.js';

/** The failure classes of the simulator, in one-hot order (06 A.1). */
export type SimulatedClass =
  | 'coordination_failure'
  | 'agent_error'
  | 'information_lag'
  | 'environment_constraint';

/** What the planner, the navigator and the scout report: one outcome per turn, null is success. */
export type Outcome = SimulatedClass | null;

/** Decides the turns of one agent in order, one call per turn. */
type Agent = (turn: number) => Outcome;

/** One of the three agents, with the names it has in a trace. */
export interface SimulatedAgent {
  readonly agentId: 'planner' | 'navigator' | 'scout';
  readonly toolName: 'plan' | 'move' | 'observe';
  readonly start: (config: RunConfig, draws: RunDraws) => Agent;
}

/** In the order in which they take all their turns (06 A.4). */
export const SIMULATED_AGENTS: readonly SimulatedAgent[] = [
  { agentId: 'planner', toolName: 'plan', start: planner },
  { agentId: 'navigator', toolName: 'move', start: navigator },
  { agentId: 'scout', toolName: 'observe', start: scout },
];

/** Names of the beliefs that are stale when a class of failure occurs. */
export const STALE_BELIEFS: Readonly<Record<SimulatedClass, readonly string[]>> = {
  coordination_failure: ['target'],
  agent_error: [],
  information_lag: ['belief_age'],
  environment_constraint: [],
};

function planner(config: RunConfig, draws: RunDraws): Agent {
  const consistency = config.planner_consistency;
  let stuck = false;
  return () => {
    const u = draws.planner();
    stuck = stuck ? u >= 0.15 + 0.6 * consistency : u > consistency;
    return stuck ? 'coordination_failure' : null;
  };
}

function navigator(config: RunConfig, draws: RunDraws): Agent {
  let inFault = false;
  let budget = 0;
  return (turn) => {
    if (draws.friction() < config.friction_rate) return 'environment_constraint';
    if (!inFault) {
      if (draws.fault(turn) >= 0.18) return null;
      inFault = true;
      budget = config.navigator_retries;
      return 'agent_error';
    }
    if (budget > 0) {
      budget -= 1;
      inFault = false;
      return null;
    }
    inFault = draws.fault(turn) >= 0.1;
    return inFault ? 'agent_error' : null;
  };
}

function scout(config: RunConfig, draws: RunDraws): Agent {
  const lagRate = lagRateOf(config.timeout_ms);
  const refreshRate = 0.35 + Math.min(0.45, config.timeout_ms / 4000);
  let stale = false;
  return () => {
    const u = draws.scout();
    stale = stale ? u >= refreshRate : u < lagRate;
    return stale ? 'information_lag' : null;
  };
}

function lagRateOf(timeoutMs: number): number {
  if (timeoutMs >= 1500) return 0.04;
  return timeoutMs >= 1000 ? 0.1 : 0.3;
}
