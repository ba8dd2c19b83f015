import { DEFAULT_CATALOGUE } from '../actions/catalogue.js';
import { simulatorSystem } from '../adapters/simulator-system.js';
import type { Incident } from '../incidents/incident.js';
import { scoreIncidents } from '../incidents/score.js';
import { AdaptivePrioritizer } from '../learner/adaptive-prioritizer.js';
import { ReferencePrioritizer } from '../learner/reference-prioritizer.js';
import { proposeHeuristic } from '../proposer/heuristic.js';
import { GROUND_TRUTH } from '../simulator/ground-truth.js';
import type { Prioritizer } from '../types.js';
import type { LoopParts } from './run-loop.js';
import { type LoopSettings, SIMULATED_TURNS } from './settings.js';

/** A prioritizer without memory: the reference's for its own gate, ours for the default one. */
export function freshPrioritizer(settings: LoopSettings): Prioritizer<Incident> {
  return settings.gate === 'z' ? new ReferencePrioritizer() : new AdaptivePrioritizer({ now: () => 0 });
}

/** The parts of a run on the bundled simulator with the default catalogue and the heuristic proposer. */
export function simulatorParts(
  settings: LoopSettings,
  prioritizer: Prioritizer<Incident> = freshPrioritizer(settings),
): LoopParts<Incident> {
  const streams = settings.streams === 'reference' ? 'reference' : 'independent';
  return {
    system: simulatorSystem(streams, SIMULATED_TURNS),
    catalogue: DEFAULT_CATALOGUE,
    score: scoreIncidents,
    prioritizer,
    propose: proposeHeuristic,
    groundTruth: GROUND_TRUTH,
  };
}
