import fc from 'fast-check';
import { defaultsOf } from '../src/foreign/config-field.js';
import type { JsonObject } from '../src/foreign/json.js';
import { redactText } from '../src/foreign/redact.js';
import { agentFields } from '../src/reactor/config/fields.js';
import { decideTick } from '../src/reactor/decide-tick.js';
import { readRequest } from '../src/reactor/request/parse-request.js';
import { requestContext } from '../src/reactor/request/request-context.js';
import { recordedSnapshot } from '../src/runtime/replay/parse-recording.js';
import { hostilePrompt, hostileSlots, hostileSnapshot } from '../tests/support/hostile.js';

/** How long a tick takes on hostile input: the slowest of many, beside the limit; CPU time, so that other load does not count. */
const RUNS = 5000;
const LIMIT_MS = 300;
const config = defaultsOf(agentFields());

function tickMs(prompt: string, sources: JsonObject, slots: Record<string, JsonObject>): number {
  const before = process.cpuUsage();
  const reading = readRequest({
    kind: 'coordinator_inbox',
    session_id: 's',
    raw_prompt: prompt,
    context: { now_unix: 1_772_442_000 },
    options: {},
  });
  if (reading.ok) {
    const { context } = requestContext(reading.request, '/data/session', 1_772_442_000);
    const snapshot = recordedSnapshot(sources);
    decideTick({ context, snapshot, slots, config, silences: [], redact: redactText });
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** `node bench/run.mjs bench/hostile.ts`: median, p99 and maximum in ms of CPU; exit code 1 beyond the limit. */
export async function main(): Promise<void> {
  const rows: string[] = [];
  let worst = 0;
  for (const [name, prompts, snapshots] of [
    ['prompts', hostilePrompt, fc.constant<JsonObject>({})],
    ['snapshots', fc.constant('=== Shared session state ===\ntick=7'), hostileSnapshot],
    ['both', hostilePrompt, hostileSnapshot],
  ] as const) {
    const inputs = fc.sample(fc.tuple(prompts, snapshots, hostileSlots), RUNS);
    const times = inputs.map((input) => tickMs(...input)).sort((a, b) => a - b);
    const at = (share: number) => (times[Math.floor((times.length - 1) * share)] ?? 0).toFixed(1).padStart(8);
    rows.push(`${name.padEnd(12)}${at(0.5)}${at(0.99)}${at(1)}`);
    worst = Math.max(worst, times.at(-1) ?? 0);
  }
  console.log([`${'ms of CPU'.padEnd(12)}  median     p99     max`, ...rows].join('\n'));
  console.log(`limit ${LIMIT_MS} ms: ${worst <= LIMIT_MS ? 'held' : 'EXCEEDED'}`);
  process.exitCode = worst <= LIMIT_MS ? 0 : 1;
}
