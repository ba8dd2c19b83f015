import { networkInterfaces } from 'node:os';
import { cleanText } from '../../foreign/hygiene.js';
import { objectOr } from '../../foreign/json.js';
import { lazy } from '../../foreign/lazy.js';
import { redactText } from '../../foreign/redact.js';
import { roundHalfEven } from '../../foreign/round.js';
import type { CollectorAnswer, CollectorEnv, CollectorVerdict } from '../collector.js';
import type { SourcesConfig } from '../config.js';
import { type HttpFailure, invalidTarget } from '../network/failure.js';
import { fetchHeaders, type HttpResponse } from '../network/fetch-headers.js';
import { isLoopback, targetUrl } from '../network/target-url.js';
import type { Stop } from '../tools/stop.js';
import { listeningPorts } from './listening.js';
import { livingServers } from './pid-files.js';
import { answeredLately, type HealthStreak, nextStreak, rememberStreaks } from './streaks.js';
import { type HealthTarget, healthTargets } from './targets.js';
import { healthTimeoutMs } from './timeout.js';

/** The look of the collector `health`. */
export async function collectHealth(env: CollectorEnv, signal: Stop): Promise<CollectorAnswer> {
  const found = await findTargets(env, signal);
  const targets = found.filter((target) => isAllowed(target, env.config));
  const verdict = verdictOf(targets.length, found.length - targets.length);
  if (targets.length === 0) return { verdicts: { health: verdict }, slots: { local_server_health: [] } };
  const outcomes = await Promise.all(targets.map((target) => ask(target, env.config, signal)));
  const memory = objectOr(env.memory['health']);
  const streaks = new Map<string, HealthStreak>();
  const entries = targets.map((target, index) => {
    const outcome = outcomes[index] ?? invalidTarget('InvalidURL', 'not asked');
    const url = shown(target.url);
    const entry = healthEntry(outcome);
    const isFailing = !entry.reachable;
    const streak = nextStreak(memory[url], { isFailing, pid: target.pid, nowUnix: env.nowUnix });
    streaks.set(url, streak);
    const { fail_streak, last_ok_unix, first_seen_unix } = streak;
    return {
      url,
      ...entry,
      source: target.source,
      pid: target.pid,
      fail_streak,
      last_ok_unix,
      first_seen_unix,
    };
  });
  return {
    verdicts: { health: verdict },
    slots: { local_server_health: entries },
    memory: { health: rememberStreaks(memory, streaks, env.nowUnix) },
  };
}

function verdictOf(asked: number, refused: number): CollectorVerdict {
  const detail =
    refused === 0 ? '' : `${refused} not asked: not on this machine, see health_probe_allow_remote`;
  return { status: asked === 0 ? 'empty' : 'ok', detail };
}

async function findTargets(env: CollectorEnv, signal: Stop): Promise<readonly HealthTarget[]> {
  const { config, sessionDir, procRoot, facts } = env;
  const auto = config.auto_probe_inference_server;
  return healthTargets({
    configured: config.health_probe_targets,
    auto,
    defaultUrl: config.inference_server_health_url.trim(),
    processes: facts.processes?.processes ?? [],
    pidFiles: auto && sessionDir !== null ? await livingServers(sessionDir, procRoot, signal) : [],
    remembered: auto ? answeredLately(objectOr(env.memory['health']), env.nowUnix) : [],
    listening: lazy(() => listeningPorts(procRoot)),
    addresses: lazy(ownAddresses),
  });
}

function ownAddresses(): ReadonlySet<string> {
  const interfaces = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return new Set(interfaces.map(({ address }) => address));
}

/** What is configured stays on this machine unless the operator says otherwise; a malformed URL is reported as such. */
function isAllowed(target: HealthTarget, config: SourcesConfig): boolean {
  if (target.source === 'process' || target.source === 'pidfile' || config.health_probe_allow_remote)
    return true;
  const url = targetUrl(target.url);
  return !(url instanceof URL) || isLoopback(url);
}

async function ask(
  target: HealthTarget,
  config: SourcesConfig,
  signal: Stop,
): Promise<HttpResponse | HttpFailure> {
  const url = targetUrl(target.url);
  if (!(url instanceof URL)) return url;
  return fetchHeaders({ url, timeoutMs: healthTimeoutMs(config), signal });
}

/** What a response, or its absence, says about the server (spec 02 §5.9). */
function healthEntry(outcome: HttpResponse | HttpFailure) {
  const latency_ms = roundHalfEven(outcome.ms, 1);
  if (outcome.kind === 'failed') {
    const { failure, phase, error } = outcome;
    return { reachable: false, status: 'error', error, failure, ...(phase ? { phase } : {}), latency_ms };
  }
  const { statusCode } = outcome;
  const status = statusCode < 400 ? 'ok' : 'http_error';
  return { reachable: statusCode < 500, status, status_code: statusCode, latency_ms };
}

/** The URL is a subject of symptoms: the same in every tick, and without credentials. */
function shown(url: string): string {
  return cleanText(redactText(url), 500);
}
