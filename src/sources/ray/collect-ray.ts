import { basename } from 'node:path';
import { cleanText, cutCodePoints } from '../../foreign/hygiene.js';
import { finiteNumber, type JsonObject, objectOr, storedInteger } from '../../foreign/json.js';
import { redactText } from '../../foreign/redact.js';
import type { CollectorAnswer, CollectorEnv, CollectorVerdict } from '../collector.js';
import { findExecutable } from '../tools/find-executable.js';
import { runTool, type ToolOutcome } from '../tools/run-tool.js';
import type { Stop } from '../tools/stop.js';
import { classifyRayFailure } from './ray-failure.js';
import { firstLine, parseRayStatus } from './ray-status.js';
import { rayTimeoutMs } from './ray-timeout.js';

const MAX_HEAD = 200;
const MAX_STDERR = 400;
/** Time limits in a row after which a cluster that does not answer counts as unhealthy. */
const PATIENCE = 3;
/** The same when it has been healthy before. */
const PATIENCE_ONCE_HEALTHY = 2;
const RAY_DAEMONS = new Set(['gcs_server', 'raylet']);
const PASSED_ON = ['RAY_ADDRESS', 'RAY_TMPDIR', 'PYTHONPATH'] as const;

/** Slot `ray` of the sources' memory (spec 02 §11). */
type RayMemory = {
  readonly seen_healthy_unix: number | null;
  /** When a Ray daemon of this session was last seen, unix s. */
  readonly seen_daemon_unix: number | null;
  readonly timeout_streak: number;
};

/** The look of the collector `ray`. */
export async function collectRay(env: CollectorEnv, signal: Stop): Promise<CollectorAnswer> {
  const executable = findExecutable('ray', env.env['PATH']);
  if (executable === null) return unknown({ status: 'unknown', reason: 'not_on_path' });
  const outcome = await runTool({
    executable,
    args: ['status'],
    env: env.env,
    extraEnv: passedOn(env.env),
    timeoutMs: rayTimeoutMs(env.config),
    signal,
  });
  return judged(outcome, env);
}

function passedOn(env: CollectorEnv['env']): Record<string, string> {
  return Object.fromEntries(
    PASSED_ON.flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function judged(outcome: ToolOutcome, env: CollectorEnv): CollectorAnswer {
  const memory = rayMemory(env);
  switch (outcome.kind) {
    case 'not_started':
      return unknown({
        status: 'unknown',
        reason: outcome.permission ? 'permission' : 'exception',
        detail: outcome.message,
      });
    case 'too_large':
      return unknown({ status: 'error', reason: 'too_large', detail: 'printed more than the limit' });
    case 'timeout':
      return silent(env, memory, { reason: noAnswerWithin(env), stderr: '', returncode: null });
    default:
      if (outcome.code === 0) return answered(outcome.stdout, env, memory);
      return failed(outcome, env, memory);
  }
}

function answered(stdout: string, env: CollectorEnv, memory: RayMemory): CollectorAnswer {
  const status = parseRayStatus(stdout);
  const head = shown(firstLine(stdout), MAX_HEAD);
  if (!status) {
    return unknown(
      { status: 'unknown', reason: 'bad_output', detail: head },
      { ...memory, timeout_streak: 0 },
    );
  }
  return {
    verdicts: { ray: { status: 'ok' } },
    slots: {
      local_ray: {
        healthy: true,
        stdout_head: head,
        pending_tasks: status.pendingTasks,
        pending_placement_groups: status.pendingPlacementGroups,
        returncode: 0,
      },
    },
    memory: { ray: { ...memory, seen_healthy_unix: env.nowUnix, timeout_streak: 0 } },
  };
}

/** One late answer proves nothing: importing the package alone takes seconds on a busy host. */
function silent(
  env: CollectorEnv,
  memory: RayMemory,
  {
    reason,
    stderr,
    returncode,
  }: { readonly reason: string; readonly stderr: string; readonly returncode: number | null },
): CollectorAnswer {
  const timeout_streak = memory.timeout_streak + 1;
  const verdict: CollectorVerdict = { status: 'timeout', reason: 'deadline', detail: reason };
  const after = { ...memory, timeout_streak };
  const patience = memory.seen_healthy_unix === null ? PATIENCE : PATIENCE_ONCE_HEALTHY;
  if (timeout_streak < patience || !isExpected(env, after)) return unknown(verdict, after);
  const local_ray = { healthy: false, reason, stderr, returncode };
  return { verdicts: { ray: verdict }, slots: { local_ray }, memory: { ray: after } };
}

function noAnswerWithin({ config }: CollectorEnv): string {
  return `ray status gave no answer within ${config.ray_probe_timeout_s.toFixed(1)} s`;
}

function failed(
  { code, stderr }: { readonly code: number | null; readonly stderr: string },
  env: CollectorEnv,
  before: RayMemory,
): CollectorAnswer {
  const { kind, line } = classifyRayFailure(stderr);
  const detail = shown(line, MAX_HEAD);
  // The command had more patience than it was given, and lost it: a time limit like our own.
  if (kind === 'no_answer') {
    const reason = `ray status exited with code ${code}: it got no answer`;
    return silent(env, before, { reason, stderr: shown(stderr.trim(), MAX_STDERR), returncode: code });
  }
  const memory = { ...before, timeout_streak: 0 };
  if (kind !== 'head_down') return unknown({ status: 'unknown', reason: 'exit_nonzero', detail }, memory);
  if (!isExpected(env, memory)) return unknown({ status: 'empty', detail: 'no Ray cluster runs' }, memory);
  const reason = `ray status exited with code ${code}: no running head answers`;
  const local_ray = { healthy: false, reason, stderr: shown(stderr.trim(), MAX_STDERR), returncode: code };
  return { verdicts: { ray: { status: 'ok', detail } }, slots: { local_ray }, memory: { ray: memory } };
}

/** Nobody misses a cluster that nobody has ever started (spec 02 §10.7). */
function isExpected(env: CollectorEnv, memory: RayMemory): boolean {
  const isNamed = (env.env['RAY_ADDRESS'] ?? '').trim() !== '';
  return isNamed || memory.seen_healthy_unix !== null || memory.seen_daemon_unix !== null;
}

function rayMemory(env: CollectorEnv): RayMemory {
  const stored = objectOr(env.memory['ray']);
  const processes = env.facts.processes?.processes ?? [];
  const hasDaemon = processes.some(
    ({ argv, state, sessionOwned }) =>
      sessionOwned === true && state !== 'Z' && RAY_DAEMONS.has(basename(argv[0] ?? '')),
  );
  return {
    seen_healthy_unix: finiteNumber(stored['seen_healthy_unix']) ?? null,
    seen_daemon_unix: hasDaemon ? env.nowUnix : (finiteNumber(stored['seen_daemon_unix']) ?? null),
    timeout_streak: Math.max(0, storedInteger(stored['timeout_streak'], 0)),
  };
}

function unknown(verdict: CollectorVerdict, ray?: RayMemory): CollectorAnswer {
  const memory: JsonObject = ray ? { ray } : {};
  return { verdicts: { ray: verdict }, slots: { local_ray: {} }, memory };
}

function shown(text: string, limit: number): string {
  return cutCodePoints(redactText(cleanText(text, limit * 4)), limit);
}
