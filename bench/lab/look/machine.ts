import { type JsonObject, objectOr } from '../../../src/foreign/json.js';
import { answeredLately, nextStreak, rememberStreaks } from '../../../src/sources/health/streaks.js';
import { namesPort, portOf } from '../../../src/sources/health/targets.js';
import type { HealthAnswer, LabGpu } from '../world/types.js';
import type { LabWorld } from '../world/world.js';
import type { Look } from './look.js';

/** The process table (spec 02 §5.4, §14). */
export function lookAtProcesses({ processes }: LabWorld): Look {
  return {
    slots: {
      local_processes_known: true,
      local_processes_scope: 'host',
      local_zombies: [],
      local_processes: processes.map(({ pid, cmd, cwd, isServer, owned, startedAt }) => ({
        pid,
        rss_mb: 4213.4,
        cmd,
        is_server: isServer,
        cwd,
        ppid: 1,
        uid: 0,
        state: 'S',
        start_unix: startedAt,
        session_owned: owned,
      })),
    },
  };
}

/** The GPUs as amd-smi tells of them (spec 02 §10.2, 04 §14). */
export function lookAtGpus({ gpus, gpuTool, now }: LabWorld): Look {
  const lost = gpus.filter(({ extra }) => extra['error_kind'] === 'lost').map(({ id }) => String(id));
  return {
    slots: {
      local_gpu: { tool: gpuTool, gpus: gpus.map(wireGpu), sampled_unix: now, lost_gpus: lost },
    },
  };
}

function wireGpu({ id, usedMb, totalMb, utilPct, edgeC, junctionC, memoryC, ...rest }: LabGpu): JsonObject {
  const plain = edgeC ?? junctionC;
  const hasMetrics = rest.extra['error'] === undefined;
  return {
    gpu_id: id,
    vendor: 'amd',
    visible: rest.visible,
    ...(hasMetrics
      ? {
          util_gpu_pct: utilPct,
          vram_used_mb: usedMb,
          vram_total_mb: totalMb,
          util_mem_pct: totalMb > 0 ? Math.round((usedMb / totalMb) * 10_000) / 100 : 0,
          ...(plain === null
            ? {}
            : { temperature_c: plain, temperature_source: edgeC === null ? 'junction' : 'edge' }),
          ...(junctionC === null ? {} : { temperature_junction_c: junctionC }),
          ...(memoryC === null ? {} : { temperature_memory_c: memoryC }),
        }
      : {}),
    holders: rest.holders,
    ...rest.extra,
  };
}

const ANSWERS: Readonly<Record<HealthAnswer, JsonObject>> = {
  ok: { reachable: true, status: 'ok', status_code: 200 },
  refused: { reachable: false, status: 'error', error: 'refused', failure: 'refused', phase: 'connect' },
  timeout: { reachable: false, status: 'error', error: 'timeout', failure: 'timeout', phase: 'headers' },
  http_500: { reachable: false, status: 'http_error', status_code: 500 },
};

/** Health endpoints with the product's own streaks (spec 02 §5.9, 04 §14). */
export function lookAtHealth({ servers, processes, now }: LabWorld, memory: JsonObject): Look {
  const remembered = objectOr(memory['health']);
  const streaks = new Map<string, ReturnType<typeof nextStreak>>();
  const isOurs = (pid: number | null) =>
    processes.some((process) => process.pid === pid && process.isServer && process.owned === true);
  const answered = new Set(answeredLately(remembered, now));
  const clients = processes.filter(({ isServer, owned }) => !isServer && owned === true);
  const isForsaken = (url: string) =>
    answered.has(url) && clients.some(({ cmd }) => namesPort(cmd.split(' '), portOf(url)));
  const asked = servers.filter(
    ({ url, pid, isConfigured }) => isConfigured === true || isOurs(pid) || isForsaken(url),
  );
  const entries = asked.map(({ url, pid: itsPid, isConfigured, answer }): JsonObject => {
    const pid = isConfigured === true ? null : itsPid;
    const source = isConfigured === true ? 'configured' : isOurs(itsPid) ? 'process' : 'client';
    const streak = nextStreak(remembered[url], { isFailing: answer !== 'ok', pid, nowUnix: now });
    streaks.set(url, streak);
    const { fail_streak, last_ok_unix, first_seen_unix } = streak;
    return { url, ...ANSWERS[answer], source, pid, fail_streak, last_ok_unix, first_seen_unix };
  });
  return {
    slots: { local_server_health: entries },
    memory: { health: rememberStreaks(remembered, streaks, now) },
  };
}
