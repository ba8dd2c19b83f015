import type { JsonObject } from '../../foreign/json.js';

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
const OFF_BUS = /(?:fallen off the bus|device lost from bus)/i;
const BUS_ID = /\b((?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}(?:\.[0-7])?)\b/i;

/**
 * What the messages say about killed processes, silent file servers and lost GPUs: slot `local_kernel` (spec 04 §11).
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
  const servers = new Map<string, { outstanding: number; sinceUnix: number }>();
  for (const { uptime, text } of messages) {
    const unix = Math.round((bootUnix + uptime) * 1000) / 1000;
    const isNew = unix > newAfterUnix;
    const kill = OOM_KILL.exec(text);
    if (kill !== null) kills.push(killOf(kill, unix, isNew));
    const nfs = NFS.exec(text);
    if (nfs !== null) noteServer(servers, nfs[1] ?? '', nfs[2] === 'OK', unix);
    if (OFF_BUS.test(text)) {
      const busId = BUS_ID.exec(text)?.[1] ?? 'unknown';
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
  };
}

/** As delivered once before: nothing in it is new any more. */
export function asDelivered(slot: JsonObject): JsonObject {
  const settle = (value: unknown): JsonObject[] =>
    Array.isArray(value) ? value.map((item: JsonObject) => ({ ...item, new: false })) : [];
  return { ...slot, oom_kills: settle(slot['oom_kills']), gpu_off_bus: settle(slot['gpu_off_bus']) };
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
