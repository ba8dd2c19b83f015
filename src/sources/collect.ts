import { type JsonObject, objectOr } from '../foreign/json.js';
import { driverTrouble } from './bus/sqlite-driver.js';
import { readCache, writeCache } from './cache.js';
import type { Collector, CollectorEnv, Join } from './collector.js';
import type { SourcesConfig } from './config.js';
import { type ProbeResult, probe } from './probe.js';
import { probedSnapshot, quietSnapshot, troubles, unseenSnapshot } from './probed-snapshot.js';
import { COLLECTORS, JOINS } from './registry.js';
import { type RouteResult, route, type Source } from './router.js';
import { isSessionReachable } from './session/reachable.js';
import type { Snapshot } from './snapshot.js';
import { monotonicMs } from './tools/clock.js';
import { endTools, KILL_GRACE_MS } from './tools/tool-groups.js';

/** What the caller knows when it asks for a look at the machine and the session. */
export interface CollectRequest {
  /** Absolute, or null when there is none. */
  readonly sessionDir: string | null;
  readonly config: SourcesConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Wall clock, unix s. */
  readonly nowUnix: number;
  /** True when a Coordinator rendered a prompt for this tick. */
  readonly promptDriven: boolean;
  /** Slot `sources` of the state store. */
  readonly memory: JsonObject;
  readonly deadline: CollectDeadline;
  /** Those of the registry unless given. */
  readonly collectors?: readonly Collector[];
  readonly joins?: readonly Join[];
  /** `/proc`, `/sys` and `/dev` unless given. */
  readonly roots?: { readonly proc: string; readonly sys: string; readonly dev: string };
}

/** The tick's own deadline, as far as the sources may use it. */
export interface CollectDeadline {
  /** Ends the look early; a caller that never does need not make one. */
  readonly signal?: AbortSignal;
  /** Time the caller can spare, ms. */
  readonly remainingMs: () => number;
}

export interface Collected {
  readonly snapshot: Snapshot;
  /** The new slot `sources` of the state store. */
  readonly memory: JsonObject;
  /** One line per collector that failed or was late, and one without a database: `parse_warnings` (spec 02 §10.1). */
  readonly warnings: readonly string[];
  /** For the log of the process. */
  readonly notes: readonly CollectNote[];
}

export interface CollectNote {
  readonly level: 'error' | 'warn' | 'debug';
  readonly message: string;
  readonly fields: JsonObject;
}

const PROBE = 'local-probe';
const FALLBACK = 'quiet-fallback';
const REAL_ROOTS = { proc: '/proc', sys: '/sys', dev: '/dev' };

/**
 * One look at the machine and the session: runs the collectors within `sources_deadline_s` and the caller's deadline, joins
 * their answers, and remembers what the next look needs. Leaves no tool running. Never rejects: what could not be seen is
 * unknown, and says so in `collectors` and `degraded_reason` (spec 02 §2, §3, §10.1).
 */
export async function collectSnapshot(request: CollectRequest): Promise<Collected> {
  const { config, memory, nowUnix, sessionDir } = request;
  const limitMs = Math.min(config.sources_deadline_s * 1000, request.deadline.remainingMs());
  const endsAt = monotonicMs() + limitMs;
  const collectors = request.collectors ?? COLLECTORS;
  const { proc } = request.roots ?? REAL_ROOTS;
  const { signal } = request.deadline;
  const isSessionHung =
    sessionDir !== null && !(await isSessionReachable(sessionDir, proc, request.env, signal));
  const cache = new LazyCache(isSessionHung ? null : sessionDir);
  let seen: ProbeResult | undefined;

  const primary: Source = {
    name: PROBE,
    fetch: async () => {
      const env = probeEnv(isSessionHung ? { ...request, sessionDir: null } : request, cache);
      const timeLeft = endsAt - monotonicMs();
      seen = await probe({
        collectors,
        joins: request.joins ?? JOINS,
        env,
        limitMs: timeLeft,
        ...(signal && { signal }),
        isSessionHung,
      });
      return probedSnapshot(seen, config, nowUnix);
    },
  };
  const fallback: Source = {
    name: FALLBACK,
    fetch: async () => {
      const quiet = quietSnapshot(FALLBACK, 'the local probe produced no data');
      return { kind: 'snapshot', snapshot: { ...unseenSnapshot(collectors, seen, nowUnix), ...quiet } };
    },
  };

  const routed = await route(primary, fallback, objectOr(memory['router']), nowUnix, {
    failThreshold: config.source_fail_threshold,
    recheckIntervalS: config.source_recheck_interval_s,
  });
  await endTools(Math.max(0, Math.min(KILL_GRACE_MS, endsAt - monotonicMs())));

  const blind = withoutDatabase(memory);
  const cacheProblem = seen === undefined ? null : cache.save(seen.cache);
  return {
    snapshot: routed.snapshot,
    memory: withChanges(memory, { ...seen?.memory, ...blind.memory, router: routed.memory }),
    warnings: [...troubles(routed.snapshot).map((trouble) => `collector ${trouble}`), ...blind.warnings],
    notes: [...routeNotes(routed), ...faultNotes(seen?.faults ?? []), ...cacheNotes(cacheProblem)],
  };
}

/** A session is told once that its database is not read: no rule can know what the bus would have said. */
function withoutDatabase(memory: JsonObject): { memory: JsonObject; warnings: readonly string[] } {
  const trouble = driverTrouble();
  if (trouble === undefined || memory['without_database'] === true) return { memory: {}, warnings: [] };
  const warning = `the Coordinator's database is not read: ${trouble}; see "SQLite" in docs/install.md`;
  return { memory: { without_database: true }, warnings: [warning] };
}

function probeEnv(request: CollectRequest, cache: LazyCache): Omit<CollectorEnv, 'facts'> {
  const { sessionDir, config, env, nowUnix, promptDriven, memory, roots = REAL_ROOTS } = request;
  return {
    sessionDir,
    config,
    env,
    nowUnix,
    promptDriven,
    memory,
    get cache() {
      return cache.value;
    },
    procRoot: roots.proc,
    sysRoot: roots.sys,
    devRoot: roots.dev,
  };
}

/** The cache file, read when a collector first asks for it and written only when something changed. */
class LazyCache {
  readonly #sessionDir: string | null;
  #value: JsonObject | undefined;

  constructor(sessionDir: string | null) {
    this.#sessionDir = sessionDir;
  }

  get value(): JsonObject {
    this.#value ??= readCache(this.#sessionDir);
    return this.#value;
  }

  /** Why it could not be saved, or null. */
  save(changes: JsonObject): string | null {
    const before = this.value;
    const isChanged = Object.entries(changes).some(
      ([key, value]) => JSON.stringify(value) !== JSON.stringify(before[key]),
    );
    if (this.#sessionDir === null || !isChanged) return null;
    return writeCache(this.#sessionDir, withChanges(before, changes));
  }
}

function withChanges(before: JsonObject, changes: JsonObject): JsonObject {
  const merged = Object.entries({ ...before, ...changes });
  return Object.fromEntries(merged.filter(([, value]) => value !== undefined));
}

function routeNotes({ transitions, faults }: RouteResult): CollectNote[] {
  const changed = transitions.map(({ source, from, to, reason, failStreak }): CollectNote => {
    const fields = { source, from, to, reason, fail_streak: failStreak };
    return { level: 'warn', message: 'source changed state', fields };
  });
  const broke = faults.map(({ source, error }): CollectNote => {
    const fields = { source, error: error.message, stack: error.stack ?? '' };
    return { level: 'error', message: 'source broke', fields };
  });
  return [...changed, ...broke];
}

function faultNotes(faults: readonly string[]): CollectNote[] {
  return faults.map((fault) => ({ level: 'error', message: 'a join failed', fields: { fault } }));
}

function cacheNotes(reason: string | null): CollectNote[] {
  if (reason === null) return [];
  return [{ level: 'debug', message: 'the cache of the sources could not be written', fields: { reason } }];
}
