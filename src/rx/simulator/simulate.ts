import type { TraceEvent } from '../trace/event.js';
import type { Metrics, RunConfig } from '../types.js';
import { type Outcome, SIMULATED_AGENTS, type SimulatedAgent, STALE_BELIEFS } from './agents.js';
import { runDraws, type SimulatorStreams } from './draws.js';

/** How many runs of how many turns, from which seed. */
export interface SimulationPlan {
  readonly runs: number;
  readonly turns: number;
  readonly seed: number;
  readonly streams: SimulatorStreams;
}

/** The reference's discovery runs (06 C.1). */
export const DEFAULT_PLAN = { runs: 12, turns: 20, seed: 42 } as const;

/** Configuration of the simulator that the loop starts from (06 A.3). */
export const DEFAULT_CONFIG: RunConfig = {
  planner_consistency: 0.55,
  navigator_retries: 0,
  timeout_ms: 800,
  friction_rate: 0.2,
};

const LATENCY_MS = { success: 40, failure: 120 } as const;

/** All events of a simulation, run by run, agent by agent, turn by turn (06 A.4): 3 × runs × turns of them. */
export function simulate(config: RunConfig, plan: SimulationPlan): TraceEvent[] {
  const runs = Array.from({ length: Math.max(0, plan.runs) }, (_, run) => run);
  return runs.flatMap((run) => simulateRun(config, plan.streams, plan.seed + run, plan.turns, run));
}

/** The events of one run; its place gives the run its name. */
export function simulateRun(
  config: RunConfig,
  streams: SimulatorStreams,
  seed: number,
  turns: number,
  place: number,
): TraceEvent[] {
  const runId = `run${String(place).padStart(3, '0')}`;
  const events: TraceEvent[] = [];
  playRun(config, streams, seed, turns, (agent, turn, outcome) => {
    events.push(toEvent(runId, agent, turn, outcome));
  });
  return events;
}

/** One run as counts, without building its events. */
export function simulateMetrics(
  config: RunConfig,
  streams: SimulatorStreams,
  seed: number,
  turns: number,
): Metrics {
  const byClass: Record<string, number> = {};
  let actions = 0;
  let failures = 0;
  playRun(config, streams, seed, turns, (_agent, _turn, outcome) => {
    actions += 1;
    if (outcome === null) return;
    failures += 1;
    byClass[outcome] = (byClass[outcome] ?? 0) + 1;
  });
  return { actions, failures, by_class: byClass };
}

/** Plays one run; the order of the calls is the order of the draws. */
function playRun(
  config: RunConfig,
  streams: SimulatorStreams,
  seed: number,
  turns: number,
  emit: (agent: SimulatedAgent, turn: number, outcome: Outcome) => void,
): void {
  const draws = runDraws(streams, seed, turns);
  for (const agent of SIMULATED_AGENTS) {
    const act = agent.start(config, draws);
    for (let turn = 0; turn < turns; turn += 1) emit(agent, turn, act(turn));
  }
}

function toEvent(runId: string, agent: SimulatedAgent, turn: number, outcome: Outcome): TraceEvent {
  const failed = outcome !== null;
  return {
    event_id: `${runId}-${turn}-${agent.agentId}`,
    run_id: runId,
    turn,
    agent_id: agent.agentId,
    tool_name: agent.toolName,
    action_succeeded: !failed,
    divergence_fields: failed ? STALE_BELIEFS[outcome] : [],
    failure_classification: outcome,
    latency_total_ms: failed ? LATENCY_MS.failure : LATENCY_MS.success,
  };
}
