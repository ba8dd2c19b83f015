import { finiteNumber, isObject, objectOr } from '../../foreign/json.js';
import type { CollectorAnswer, CollectorEnv } from '../collector.js';
import { startUnix } from '../liveness.js';
import type { Stop } from '../tools/stop.js';
import { readKernelLog } from './kernel-log.js';
import { asDelivered, describeKernel } from './kernel-messages.js';

/** The ring is read at most this often, s. */
const REFRESH_S = 60;
/** Messages older than this are no news at first sight, s. */
const FIRST_SIGHT_S = 600;

/** The look of the collector `kernel`. */
export async function collectKernel(env: CollectorEnv, signal: Stop): Promise<CollectorAnswer> {
  const { nowUnix, procRoot, devRoot } = env;
  const before = objectOr(env.memory['kernel']);
  const sampledUnix = finiteNumber(before['sampled_unix']);
  const cached = before['slot'];
  const age = sampledUnix === undefined ? Number.POSITIVE_INFINITY : nowUnix - sampledUnix;
  if (isObject(cached) && age >= 0 && age < REFRESH_S) {
    return { verdicts: { kernel: { status: 'ok' } }, slots: { local_kernel: cached } };
  }
  const bootUnix = startUnix(procRoot, 0);
  const log = await readKernelLog(devRoot, env.env, signal);
  if (!log.ok || bootUnix === null) {
    const detail = log.ok ? 'the time of boot is not known' : log.detail;
    const reason = !log.ok && log.permission ? 'permission' : 'missing';
    return { verdicts: { kernel: { status: 'unknown', reason, detail } }, slots: { local_kernel: null } };
  }
  const newAfter = sampledUnix ?? nowUnix - FIRST_SIGHT_S;
  const slot = { ...describeKernel(log.messages, bootUnix, newAfter), sampled_unix: nowUnix };
  return {
    verdicts: { kernel: { status: 'ok' } },
    slots: { local_kernel: slot },
    memory: { kernel: { sampled_unix: nowUnix, slot: asDelivered(slot) } },
  };
}
