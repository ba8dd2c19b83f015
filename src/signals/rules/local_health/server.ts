import { finiteNumber, integer, type JsonObject, objectsOf } from '../../../foreign/json.js';
import { isTruthy } from '../../../foreign/python-truth.js';
import type { ReactorContext } from '../../../reactor/context.js';
import type { Snapshot } from '../../../sources/snapshot.js';
import { scalarText } from '../../shared/bus-row.js';
import type { Severity, Symptom } from '../../symptom.js';
import type { ServerConfig } from './config.js';
import { type SeenProcesses, seenProcesses } from './seen-processes.js';

/** An engine sample proves work for this long, s. */
const ENGINE_SAMPLE_AGE_S = 120;

/** Unreachable servers, and whether one that may still be loading was left out. */
export interface ServerFindings {
  readonly symptoms: readonly Symptom[];
  readonly isLoading: boolean;
}

interface Scene {
  readonly processesKnown: boolean;
  readonly seen: SeenProcesses;
  readonly allFailing: boolean;
  readonly engineWorks: boolean;
  readonly now: number;
}

const NOTHING: ServerFindings = { symptoms: [], isLoading: false };

/** Health endpoints that do not answer although a server or a client of it lives (spec 03 §8.1, local_health-1 to -5). */
export function unreachableServers(
  context: ReactorContext,
  snapshot: Snapshot,
  config: ServerConfig,
): ServerFindings {
  const entries = objectsOf(snapshot.local_server_health);
  const failing = entries.filter((entry) => !isTruthy(entry['reachable']));
  if (failing.length === 0) return NOTHING;
  const seen = seenProcesses(snapshot, context.session_dir, config.benchmark_client_patterns);
  const processesKnown = snapshot.local_processes_known;
  if (processesKnown && !seen.serverSeen && !seen.clientSeen) return NOTHING;

  const scene: Scene = {
    processesKnown,
    seen,
    allFailing: failing.length === entries.length,
    engineWorks: engineWorks(snapshot, context.now_unix),
    now: context.now_unix,
  };
  const judged = failing.map((entry) => ({ entry, excuse: excuseOf(entry, scene, config) }));
  return {
    symptoms: judged
      .filter(({ excuse }) => excuse === undefined)
      .map(({ entry }) => symptomOf(entry, scene, config)),
    isLoading: judged.some(({ excuse }) => excuse === 'loading'),
  };
}

/** Why a failing probe accuses nobody; a snapshot that counts no failures excuses nothing. */
function excuseOf(
  entry: JsonObject,
  { seen, processesKnown, engineWorks: works, now }: Scene,
  config: ServerConfig,
): 'first failures' | 'loading' | 'engine works' | 'first timeouts' | undefined {
  const streak = streakOf(entry);
  if (streak === undefined) return undefined;
  if (streak < config.server_min_fail_streak) return 'first failures';
  // Without a process list a server that never answered may be one that loads.
  if (
    (seen.serverSeen || !processesKnown) &&
    isLoading(entry, seen.youngestServerStart, now, config.server_loading_grace_s)
  ) {
    return 'loading';
  }
  if (entry['error'] !== 'timeout') return undefined;
  if (works) return 'engine works';
  return isEarlyTimeout(entry, config) && answeredLately(entry, now, config) ? 'first timeouts' : undefined;
}

/** How often it failed in a row; undefined where that is not counted, 0 where it cannot be read. */
function streakOf(entry: JsonObject): number | undefined {
  return entry['fail_streak'] === undefined ? undefined : (integer(entry['fail_streak']) ?? 0);
}

/** A busy engine misses single probes: a timeout is no outage before the third in a row (spec 03 local_health-2, 09 §2). */
function isEarlyTimeout(entry: JsonObject, config: ServerConfig): boolean {
  const streak = streakOf(entry);
  return entry['error'] === 'timeout' && streak !== undefined && streak < config.server_min_timeout_streak;
}

/** Looks may be half an hour apart: then two timeouts say more than three within minutes. */
function answeredLately(entry: JsonObject, now: number, config: ServerConfig): boolean {
  const lastOk = finiteNumber(entry['last_ok_unix']);
  return lastOk !== undefined && now - lastOk < config.server_timeout_quiet_s;
}

function isLoading(entry: JsonObject, start: number | undefined, now: number, graceS: number): boolean {
  const lastOk = finiteNumber(entry['last_ok_unix']);
  const answeredSinceStart = lastOk !== undefined && (start === undefined || lastOk >= start);
  if (answeredSinceStart) return false;
  const since = start ?? finiteNumber(entry['first_seen_unix']);
  return since !== undefined && now - since < graceS;
}

function engineWorks(snapshot: Snapshot, now: number): boolean {
  const samples = objectsOf(snapshot.local_engine).flatMap((log) => objectsOf(log['samples']));
  return samples.some((sample) => {
    const unix = finiteNumber(sample['unix']);
    const tokens = finiteNumber(sample['gen_tokens_s']);
    return unix !== undefined && now - unix <= ENGINE_SAMPLE_AGE_S && tokens !== undefined && tokens > 0;
  });
}

function severityOf(entry: JsonObject, scene: Scene, config: ServerConfig): Severity {
  if (!scene.allFailing || !scene.processesKnown || scene.seen.ownershipDoubtful) return 'medium';
  return isEarlyTimeout(entry, config) ? 'medium' : 'high';
}

/** The status, with the cause and how often it was met when the probe says so. */
function reasonOf(entry: JsonObject, status: string): string {
  const streak = integer(entry['fail_streak']) ?? 0;
  const details = [scalarText(entry['error']), streak > 1 ? `${streak} times in a row` : undefined];
  const known = details.filter((detail) => detail !== undefined && detail !== '');
  return `${status || 'no status'}${known.length > 0 ? ` (${known.join(', ')})` : ''}`;
}

function symptomOf(entry: JsonObject, scene: Scene, config: ServerConfig): Symptom {
  const url = scalarText(entry['url']) ?? '';
  const status = scalarText(entry['status']) ?? '';
  const severity = severityOf(entry, scene, config);
  return {
    name: 'local_server_unreachable',
    severity,
    summary: `The server at ${url || '(no url)'} does not answer: ${reasonOf(entry, status)}`,
    evidence: {
      url,
      status,
      status_code: entry['status_code'] ?? null,
      error: entry['error'] ?? null,
      server_process_seen: scene.processesKnown ? scene.seen.serverSeen : null,
      benchmark_client_seen: scene.processesKnown ? scene.seen.clientSeen : null,
      ...(integer(entry['fail_streak']) !== undefined && { fail_streak: entry['fail_streak'] }),
    },
    subject: { url },
    source: 'local',
    suggestion:
      severity === 'high'
        ? 'Delegate recover with forced GPU cleanup, so that the server is started anew.'
        : 'Keep watching; tell orchestration if it lasts.',
  };
}
