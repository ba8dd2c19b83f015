import { cleanText } from '../../foreign/hygiene.js';
import { integer, type JsonObject, objectOr } from '../../foreign/json.js';
import { roundHalfEven } from '../../foreign/round.js';
import type { Collector, CollectorAnswer, CollectorEnv } from '../collector.js';
import type { SourcesConfig } from '../config.js';
import { readProcStat } from '../liveness.js';
import { type MountAnswer, probeMount } from './mount-probe.js';

const VARIABLES = ['TRACELENS_ROOT', 'TRACELENS_INTERNAL_ROOT', 'INFERENCEX_PATH'] as const;
const OVERHEAD_MS = 500;

interface Mount {
  readonly env_name: string;
  readonly path: string;
}

/** A child of an earlier tick that may still hang; wire shape of `sources.mounts`. */
type HungChild = {
  readonly pid: number;
  /** Clock ticks after boot at which it started: a pid may be used again. */
  readonly start_ticks: number;
};

/** Directories that the tools of a session need, each asked in a child of its own (spec 02 §5.18, §10.7). */
export const mountsCollector: Collector = {
  names: ['mounts'],
  hostBound: false,
  needs: [],
  budgetMs: (config) => limitMs(config) + OVERHEAD_MS,
  disabled: (config) => (config.external_deps_enabled ? undefined : 'disabled'),
  whenUnknown: { local_external_deps: { mounts: [] } },
  async collect(env, signal): Promise<CollectorAnswer> {
    const mounts = mountsOf(env.env);
    if (mounts.length === 0) {
      return {
        verdicts: { mounts: { status: 'empty' } },
        slots: { local_external_deps: { mounts: [] } },
        memory: {},
      };
    }
    const timeoutMs = limitMs(env.config);
    const before = objectOr(env.memory['mounts']);
    const paths = [...new Set(mounts.map((mount) => mount.path))];
    const answers = new Map<string, MountAnswer>();
    await Promise.all(
      paths.map(async (path) => {
        const hung = stillHung(before[path], env.procRoot);
        answers.set(path, hung ?? (await probeMount(path, { timeoutMs, signal, env: env.env })));
      }),
    );
    return answer(mounts, answers, env, timeoutMs);
  },
};

function limitMs(config: SourcesConfig): number {
  return Math.max(50, config.external_mount_stat_timeout_s * 1000);
}

function mountsOf(env: CollectorEnv['env']): Mount[] {
  return VARIABLES.flatMap((env_name) => {
    const path = env[env_name]?.trim() ?? '';
    return path === '' || path.includes('\0') ? [] : [{ env_name, path }];
  });
}

/** A second child would only hang beside the first. */
function stillHung(stored: unknown, procRoot: string): MountAnswer | undefined {
  const { pid, start_ticks } = objectOr(stored);
  const number = integer(pid);
  if (number === undefined) return undefined;
  const stat = readProcStat(procRoot, number);
  const isSame = stat !== undefined && stat.startTicks === start_ticks && stat.state !== 'Z';
  return isSame ? { kind: 'hung', pid: number } : undefined;
}

function answer(
  mounts: readonly Mount[],
  answers: ReadonlyMap<string, MountAnswer>,
  env: CollectorEnv,
  timeout_ms: number,
): CollectorAnswer {
  const rows: JsonObject[] = [];
  const hung: Record<string, HungChild> = {};
  let failure = '';
  for (const { env_name, path } of mounts) {
    const found = answers.get(path);
    if (!found) continue;
    if (found.kind === 'failed') {
      failure = found.detail;
      continue;
    }
    const isHung = found.kind === 'hung';
    const error = isHung ? 'timeout' : found.error;
    const latency_ms = isHung ? timeout_ms : roundHalfEven(found.latencyMs, 2);
    rows.push({ env_name, path: cleanText(path, 500), ok: error === null, error, latency_ms, timeout_ms });
    const stat = isHung ? readProcStat(env.procRoot, found.pid) : undefined;
    if (found.kind === 'hung' && stat && stat.state !== 'Z')
      hung[path] = { pid: found.pid, start_ticks: stat.startTicks };
  }
  const isAnyHung = rows.some((row) => row['error'] === 'timeout');
  return {
    verdicts: { mounts: verdictOf(isAnyHung, failure) },
    slots: { local_external_deps: { mounts: rows } },
    memory: { mounts: Object.keys(hung).length > 0 ? hung : undefined },
  };
}

function verdictOf(isAnyHung: boolean, failure: string) {
  if (isAnyHung) return { status: 'timeout', reason: 'deadline', detail: 'a mount does not answer' } as const;
  if (failure !== '') return { status: 'error', reason: 'exception', detail: failure } as const;
  return { status: 'ok' } as const;
}
