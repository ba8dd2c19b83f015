import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { isObject, listOr, objectsOf, parseJson, text } from '../../../src/foreign/json.js';
import { statOf } from '../../../src/foreign/stat.js';
import { parseFinding } from '../../../src/reactor/findings/parse-finding.js';
import { findingsPath } from '../../../src/reactor/store/paths.js';
import { SessionBuilder } from '../../../src/runtime/demo/session-builder.js';
import { destructiveName, echoIntents, intentWord, type SentIntent } from '../echo.js';
import { type PlayOptions, passTime, prepare, requestOf } from '../fast.js';
import type { LabAlert, LabRun, LabTick } from '../result.js';
import type { Scenario } from '../scenario.js';
import { timeTruths } from '../truths.js';
import { LiveSession } from './session.js';

export interface LiveOptions extends PlayOptions {
  /** Where the session is built. */
  readonly parent: string;
  /** The built CLI. */
  readonly cli: string;
  /** Without what would change decisions or call a model. */
  readonly env: Readonly<Record<string, string>>;
}

/** Plays a scenario with real files, a real database, real processes and one subprocess of the CLI per tick. */
export async function playLive(scenario: Scenario, seed: number, options: LiveOptions): Promise<LabRun> {
  const builder = new SessionBuilder({
    parent: options.parent,
    model: 'Granite-Delta-40B',
    name: '20310405T060708Z-5e551011',
  });
  const { lab, world, endUnix } = prepare(scenario, seed, { ...options, sessionDir: builder.dir });
  const session = new LiveSession(builder, world);
  const ticks: LabTick[] = [];
  try {
    while (world.now < endUnix) {
      lab.beforeTick();
      await session.update();
      const turn = `robustness-workdir/${String(world.coordinator.tick).padStart(6, '0')}`;
      const request = builder.file(
        `${turn}/request.json`,
        JSON.stringify(requestOf(world, scenario, options)),
      );
      const findings = findingsPath(builder.dir, world.sessionId);
      const before = statOf(findings)?.size ?? 0;
      const out = builder.path(turn, 'emit.json');
      await runTick(session, options, ['tick', '--request', request, '--out', out]);
      const intents = readIntents(out);
      ticks.push({
        tick: world.coordinator.tick,
        at: world.now,
        alerts: readAlerts(findings, before),
        present: [],
        explained: [],
        truths: timeTruths(world),
        intents: intents.map(intentWord),
      });
      echoIntents(lab, intents);
      passTime(lab);
    }
  } finally {
    await session.end();
    builder.remove();
  }
  return {
    scenario: scenario.name,
    kind: scenario.kind,
    seed,
    sessionDir: world.sessionDir,
    startUnix: lab.startUnix,
    endUnix: world.now,
    ticks,
    faults: lab.faults,
    notices: scenario.notices ?? [],
  };
}

function runTick(session: LiveSession, { cli, env }: LiveOptions, args: readonly string[]): Promise<void> {
  const [program = '', ...rest] = [...session.prefix(), process.execPath, cli, ...args];
  return new Promise((done, failed) => {
    const child = spawn(program, rest, {
      env: { ...env, ...session.env(env['PATH'] ?? '') },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.on('error', failed);
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.on('close', (code) =>
      code === 0 ? done() : failed(new Error(`the tick ended with ${code}: ${stderr}`)),
    );
  });
}

function readIntents(path: string): SentIntent[] {
  const parsed = parseJson(readFileSync(path, 'utf8'));
  const envelope = parsed.ok && isObject(parsed.value) ? parsed.value['intent_envelope'] : undefined;
  return objectsOf(listOr(isObject(envelope) ? envelope['intents'] : undefined)).map(
    ({ intent_type, payload }) => ({
      intent_type: text(intent_type) ?? '',
      payload: isObject(payload) ? payload : {},
    }),
  );
}

function readAlerts(path: string, from: number): LabAlert[] {
  if (statOf(path) === undefined) return [];
  const lines = readFileSync(path).subarray(from).toString('utf8').split('\n');
  return lines.flatMap((line): LabAlert[] => {
    const reading = parseFinding(line);
    if (!reading.ok) return [];
    const { symptom_name: name, severity, subject, summary, intents } = reading.finding;
    return [
      {
        name,
        severity,
        subject: subject ?? {},
        summary,
        destructive: intents.flatMap((intent) => destructiveName(intent) ?? []),
      },
    ];
  });
}
