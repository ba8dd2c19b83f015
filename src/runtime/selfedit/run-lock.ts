import { type HeldLock, takeLock } from '../../selfedit/registry/lock.js';
import { UserError } from '../shared/user-error.js';
import type { Workspace } from './workspace.js';

/**
 * The lock of whoever measures a prompt: two of them would spend one budget of error twice; a promotion, a rollback or a label
 * may come between.
 *
 * @throws UserError `RA_SELFEDIT_STATE` while another process holds it
 */
export async function holdRunLock({ paths, promptId }: Workspace): Promise<HeldLock> {
  const path = paths.runLock(promptId);
  const lock = await takeLock(path, { waitMs: 0 });
  if (lock !== null) return lock;
  throw new UserError({
    code: 'RA_SELFEDIT_STATE',
    happened: `a run of the prompt ${promptId} is under way (${path})`,
    expected: 'one run of a prompt at a time; a lock whose process is gone is taken over by itself',
    todo: 'wait for it, or end its process',
  });
}
