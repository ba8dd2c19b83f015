import { DEFAULT_CATALOGUE } from '../../src/rx/actions/catalogue.js';
import { simulatorSystem } from '../../src/rx/adapters/simulator-system.js';
import type { Incident } from '../../src/rx/incidents/incident.js';
import { scoreIncidents, severityWeight } from '../../src/rx/incidents/score.js';
import { prior } from '../../src/rx/learner/heuristic-prior.js';
import type { LoopParts } from '../../src/rx/loop/run-loop.js';
import { SIMULATED_TURNS } from '../../src/rx/loop/settings.js';
import { proposeHeuristic } from '../../src/rx/proposer/heuristic.js';
import type { SimulatorStreams } from '../../src/rx/simulator/draws.js';
import { GROUND_TRUTH } from '../../src/rx/simulator/ground-truth.js';
import type { Prioritizer } from '../../src/rx/types.js';

/** The prior alone as a prioritizer, so that a test of the loop tests only the loop. */
export function priorOnly(): Prioritizer<Incident> {
  let outcomes = 0;
  return {
    rank: (incidents) => ({
      regime: 'heuristic',
      reason: 'no outcomes yet',
      ranked: incidents
        .map((incident) => ({ incident, priority: priorOf(incident) }))
        .sort((a, b) => b.priority - a.priority),
    }),
    record: () => {
      outcomes += 1;
    },
    refit: () => {},
    metrics: () => ({ n: outcomes }),
    regime: () => 'heuristic',
  };
}

/** The bundled simulator with the default catalogue and the parts above. */
export function simulatorParts(streams: SimulatorStreams): LoopParts<Incident> {
  return {
    system: simulatorSystem(streams, SIMULATED_TURNS),
    catalogue: DEFAULT_CATALOGUE,
    score: scoreIncidents,
    prioritizer: priorOnly(),
    propose: proposeHeuristic,
    groundTruth: GROUND_TRUTH,
  };
}

function priorOf(incident: Incident): number {
  const weight = severityWeight(incident.failure_classification);
  return prior(incident.final_score, incident.recovery_rate, weight);
}
