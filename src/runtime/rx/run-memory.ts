import { AdaptivePrioritizer } from '../../rx/learner/adaptive-prioritizer.js';
import { appendOutcomeSync, readMemory } from '../../rx/learner/memory.js';
import type { OutcomeRow } from '../../rx/learner/outcome-row.js';
import type { CommandIo } from '../shared/command.js';
import { stateDir } from '../shared/state-dir.js';

/** Our prioritizer with what earlier runs taught, writing down what this one teaches (06 F.7.7). */
export async function rememberingPrioritizer(io: CommandIo, now: () => number): Promise<AdaptivePrioritizer> {
  const directory = stateDir(io);
  const { outcomes, model, model_problem } = await readMemory(directory);
  let writable = true;
  const remember = (row: OutcomeRow): void => {
    if (!writable) return;
    try {
      appendOutcomeSync(directory, row);
    } catch (error) {
      writable = false;
      const reason = error instanceof Error ? error.message : String(error);
      io.stderr.write(`outcomes of this run are not remembered: ${reason}\n`);
    }
  };
  return new AdaptivePrioritizer({
    outcomes,
    model,
    ...(model_problem === undefined ? {} : { model_problem }),
    session_id: `rx-${Math.trunc(now()).toString(36)}-${process.pid}`,
    onOutcome: remember,
    now,
  });
}
