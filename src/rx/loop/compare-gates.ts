import {
  falseAcceptsOfPairedGate,
  falseAcceptsOfZGate,
  type NullStudy,
  nullPool,
} from '../experiment/null-study.js';
import { generateDataset, labelledRows } from '../learner/dataset.js';
import { type ReferenceTraining, type Training, trainHonest, trainReference } from '../learner/train.js';
import { type OptimumStudy, studyOptimum } from './optimum-study.js';
import { runLoop } from './run-loop.js';
import type { RunResult } from './run-result.js';
import { DEFAULT_SETTINGS, type LoopSettings, REFERENCE_SETTINGS } from './settings.js';
import { simulatorParts } from './simulated.js';

/** Figures of one gate beyond its single run. */
export interface GateSide<T> {
  readonly run: RunResult;
  /** Forty other sets of seeds on the original's own luck. */
  readonly optimum: OptimumStudy;
  /** Runs of eight fixes that do nothing. */
  readonly nulls: NullStudy;
  readonly training: T;
}

/** Both gates on the same material. */
export interface GateComparison {
  readonly reference: GateSide<ReferenceTraining>;
  readonly ours: GateSide<Training>;
}

const SEED_SETS = 40;
const NULL_RUNS = 1000;
const NULL_POOL = 4000;
const EPISODES = 60;
const TEST_FRACTION = 0.3;
/** The demo shows the figures without intervals; `rx train` gives them. */
const FEW_RESAMPLES = 200;

/** Everything that the side-by-side view shows, measured now. */
export async function compareGates(
  settings: LoopSettings,
  onProgress: (what: string) => void = () => {},
): Promise<GateComparison> {
  onProgress('repairing the simulator');
  const reference = await runLoop(simulatorParts(REFERENCE_SETTINGS), REFERENCE_SETTINGS);
  const ours = await runLoop(simulatorParts(settings), settings);
  onProgress(`the original's gate on ${SEED_SETS} other sets of seeds`);
  const referenceOptimum = await studyOptimum(REFERENCE_SETTINGS, SEED_SETS);
  onProgress(`our gate on ${SEED_SETS} other sets of seeds`);
  const oursOptimum = await studyOptimum({ ...DEFAULT_SETTINGS, streams: 'reference' }, SEED_SETS);
  onProgress('fixes that do nothing');
  const pool = nullPool(NULL_POOL);
  const referenceNulls = falseAcceptsOfZGate(pool, NULL_RUNS, 1);
  onProgress('fixes that do nothing, our gate');
  const oursNulls = await falseAcceptsOfPairedGate(pool, NULL_RUNS, 1);
  onProgress('learning which incidents deserve an attempt');
  const rowsThen = generateDataset({ episodes: EPISODES, streams: 'reference', seeds: 'reference' });
  const rowsNow = generateDataset({ episodes: EPISODES, streams: 'reference', seeds: 'disjoint' });
  return {
    reference: {
      run: reference,
      optimum: referenceOptimum,
      nulls: referenceNulls,
      training: trainReference(labelledRows(rowsThen, 'z'), TEST_FRACTION, 0),
    },
    ours: {
      run: ours,
      optimum: oursOptimum,
      nulls: oursNulls,
      training: trainHonest(labelledRows(rowsNow, 'paired'), {
        test_fraction: TEST_FRACTION,
        seed: 0,
        resamples: FEW_RESAMPLES,
      }),
    },
  };
}
