import { cutCodePoints, stripControls } from '../../foreign/hygiene.js';
import type { JsonObject } from '../../foreign/json.js';
import { lazy } from '../../foreign/lazy.js';
import { logDetectors } from '../logs/detectors.js';

/** One message of the kernel. */
export interface KernelMessage {
  /** Seconds after boot. */
  readonly uptime: number;
  readonly text: string;
}

const MAX_ITEMS = 64;

const OOM_KILL =
  /^(.{0,80}?)out of memory(?: \([^)]{0,80}\))?: killed process (\d{1,10})(?: \(([^)]{0,64})\))?/i;
const NFS = /\bnfs: server (\S{1,255}) (not responding|OK)\b/;
/** Detectors of log lines whose words are the driver's own: a queue or firmware that hangs, and the reset that follows. */
const OF_THE_DRIVER: ReadonlySet<string> = new Set([
  'amdgpu ring timeout',
  'amdgpu firmware does not respond',
  'GPU reset begin',
  'GPU memory poisoned',
]);
const gpuFaults = lazy(() => logDetectors().filter(({ identifier }) => OF_THE_DRIVER.has(identifier)));
const LINE_LENGTH = 240;
const OFF_BUS = /(?:fallen off the bus|device lost from bus)/i;
const BUS_ID = /\b((?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}(?:\.[0-7])?)\b/i;

/**
 * What the messages say about killed processes, silent file servers, and GPUs that are lost or reset: slot `local_kernel`
 * (spec 04 §11).
 *
 * @param bootUnix unix s
 * @param newAfterUnix messages up to it have been delivered before
 */
export function describeKernel(
  messages: readonly KernelMessage[],
  bootUnix: number,
  newAfterUnix: number,
): JsonObject {
  const kills: JsonObject[] = [];
  const lost = new Map<string, JsonObject>();
  const faults = new Map<string, JsonObject>();
  const servers = new Map<string, { outstanding: number; sinceUnix: number }>();
  for (const { uptime, text } of messages) {
    const unix = Math.round((bootUnix + uptime) * 1000) / 1000;
    const isNew = unix > newAfterUnix;
    const kill = OOM_KILL.exec(text);
    if (kill !== null) kills.push(killOf(kill, unix, isNew));
    const nfs = NFS.exec(text);
    if (nfs !== null) noteServer(servers, nfs[1] ?? '', nfs[2] === 'OK', unix);
    const lower = text.includes('amdgpu') ? text.toLowerCase() : '';
    const fault = gpuFaults().find(({ language }) => language(lower, 0) !== undefined)?.identifier;
    const busId = BUS_ID.exec(text)?.[1] ?? 'unknown';
    // Of what is new of one GPU the first message is the cause of the others.
    if (fault !== undefined && faults.get(busId)?.['new'] !== true) {
      const line = cutCodePoints(stripControls(text), LINE_LENGTH);
      faults.set(busId, { bus_id: busId, pattern: fault, line, last_unix: unix, new: isNew });
    }
    if (OFF_BUS.test(text)) {
      const isLater = lost.get(busId)?.['new'] !== true;
      if (isLater) lost.set(busId, { bus_id: busId, last_unix: unix, new: isNew });
    }
  }
  const outstanding = [...servers].filter(([, server]) => server.outstanding > 0);
  return {
    nfs: outstanding
      .slice(-MAX_ITEMS)
      .map(([server, state]) => ({ server, outstanding: state.outstanding, since_unix: state.sinceUnix })),
    oom_kills: kills.slice(-MAX_ITEMS),
    gpu_off_bus: [...lost.values()].slice(-MAX_ITEMS),
    gpu_faults: [...faults.values()].slice(-MAX_ITEMS),
  };
}

/** As delivered once before: nothing in it is new any more. */
export function asDelivered(slot: JsonObject): JsonObject {
  const settle = (value: unknown): JsonObject[] =>
    Array.isArray(value) ? value.map((item: JsonObject) => ({ ...item, new: false })) : [];
  const once = ['oom_kills', 'gpu_off_bus', 'gpu_faults'];
  return { ...slot, ...Object.fromEntries(once.map((key) => [key, settle(slot[key])])) };
}

function killOf(found: RegExpExecArray, unix: number, isNew: boolean): JsonObject {
  const [, before = '', pid, name] = found;
  const isCgroup = /memory cgroup\s*$/i.test(before);
  return {
    process: name ?? '',
    pid: Number(pid),
    constraint: isCgroup ? 'memcg' : 'host',
    last_unix: unix,
    new: isNew,
  };
}

/** An OK of a server settles all that it owed. */
function noteServer(
  servers: Map<string, { outstanding: number; sinceUnix: number }>,
  server: string,
  isOk: boolean,
  unix: number,
): void {
  const before = servers.get(server);
  if (isOk) servers.delete(server);
  else if (before === undefined) servers.set(server, { outstanding: 1, sinceUnix: unix });
  else before.outstanding += 1;
}
