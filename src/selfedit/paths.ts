import { join } from 'node:path';

/** Where everything of the loop lives below the state directory (spec 08 §22). */
export interface SelfeditPaths {
  readonly root: string;
  readonly database: string;
  readonly lock: string;
  /** Held for as long as a run of the prompt goes on. */
  runLock(promptId: string): string;
  registry(promptId: string): string;
  cases(promptId: string): string;
  run(runId: string): string;
}

/** @param stateDir the state directory of the agent */
export function selfeditPaths(stateDir: string): SelfeditPaths {
  const root = join(stateDir, 'selfedit');
  return {
    root,
    database: join(root, 'selfedit.db'),
    lock: join(root, 'selfedit.lock'),
    runLock: (promptId) => join(root, `run-${promptId}.lock`),
    registry: (promptId) => join(root, 'registry', promptId),
    cases: (promptId) => join(root, 'cases', promptId),
    run: (runId) => join(root, 'runs', runId),
  };
}
