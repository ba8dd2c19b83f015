import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { isObject, listOr, objectsOf, parseJson, text } from '../../foreign/json.js';
import { statOf } from '../../foreign/stat.js';
import type { Finding, WireIntent } from '../../reactor/findings/finding.js';
import { parseFinding } from '../../reactor/findings/parse-finding.js';
import { findingsPath } from '../../reactor/store/paths.js';
import { renderPrompt } from './prompt.js';
import type { Scene } from './scenario.js';
import type { DemoWorld } from './world.js';

/** What the built CLI made of one scene. */
export interface PlayedScene {
  readonly scene: Scene;
  readonly tick: number;
  /** Unix s. */
  readonly at: number;
  readonly findings: readonly Finding[];
  readonly intents: readonly WireIntent[];
  readonly ms: number;
  /** What is wrong with the answer; empty when the demo holds. */
  readonly complaints: readonly string[];
}

const SESSION_ID = 'demo';
const BUDGET_MINUTES = 360;

/** Plays a scene through one subprocess of the CLI, exactly as the Coordinator would. */
export async function play(scene: Scene, tick: number, world: DemoWorld, cli: string): Promise<PlayedScene> {
  world.now += scene.minutes * 60;
  scene.act(world);
  const sessionDir = world.session.dir;
  const turn = String(tick).padStart(6, '0');
  const request = world.session.file(
    `robustness-workdir/${turn}/request.json`,
    JSON.stringify({
      kind: 'coordinator_inbox',
      session_id: SESSION_ID,
      raw_prompt: renderPrompt({
        sessionDir,
        sessionId: SESSION_ID,
        tick,
        phase: 'EXPLORE',
        elapsedMinutes: 30 + tick * 5,
        budgetMinutes: BUDGET_MINUTES,
        gainPercent: 1.5 + tick / 4,
        currentAction: scene.currentAction ?? '(idle)',
        ticksWithoutProgress: 1,
        inbox: world.takeInbox(),
        lastFailure: '(none)',
      }),
      context: { tick_index: tick, now_unix: world.now },
      // Short waits, so that the frozen server does not make the demo slow.
      options: { session_dir: sessionDir, health_probe_timeout_s: 0.4, llm_rca_enabled: false },
    }),
  );
  const out = world.session.path('robustness-workdir', turn, 'emit.json');
  const findingsFile = findingsPath(sessionDir, SESSION_ID);
  const before = statOf(findingsFile)?.size ?? 0;
  const startedAt = performance.now();
  const failure = await runCli(cli, ['tick', '--request', request, '--out', out], world);
  const ms = performance.now() - startedAt;
  const findings = newFindings(findingsFile, before);
  const intents = failure === undefined ? readIntents(out) : [];
  const complaints = failure === undefined ? judge(scene, findings, intents) : [failure];
  return { scene, tick, at: world.now, findings, intents, ms, complaints };
}

function runCli(cli: string, args: readonly string[], world: DemoWorld): Promise<string | undefined> {
  const env = { ...process.env, PATH: `${world.binDir}:${process.env['PATH'] ?? ''}` };
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [cli, ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.on('close', (code) =>
      resolve(code === 0 ? undefined : `the tick exited with ${code}: ${stderr.slice(0, 500)}`),
    );
  });
}

function newFindings(path: string, from: number): Finding[] {
  if (statOf(path) === undefined) return [];
  return readFileSync(path)
    .subarray(from)
    .toString('utf8')
    .split('\n')
    .flatMap((line) => {
      const reading = parseFinding(line);
      return reading.ok ? [reading.finding] : [];
    });
}

function readIntents(path: string): WireIntent[] {
  const parsed = parseJson(readFileSync(path, 'utf8'));
  const envelope = parsed.ok && isObject(parsed.value) ? parsed.value['intent_envelope'] : undefined;
  return objectsOf(isObject(envelope) ? listOr(envelope['intents']) : []).flatMap((item) => {
    const type = text(item['intent_type']);
    return type !== undefined && isObject(item['payload'])
      ? [{ intent_type: type, payload: item['payload'] }]
      : [];
  });
}

function judge(scene: Scene, findings: readonly Finding[], intents: readonly WireIntent[]): string[] {
  const seen = new Set(findings.map((finding) => finding.symptom_name));
  const explained = new Set(intents.flatMap(explainedNames));
  const missed = (scene.expect ?? []).filter((name) => !seen.has(name)).map((name) => `missed: ${name}`);
  const fine = new Set([...(scene.expect ?? []), ...(scene.allow ?? [])]);
  const accused = [...seen]
    .filter((name) => !fine.has(name) && !explained.has(name))
    .map((name) => `accused: ${name}`);
  const types = new Set(intents.map((intent) => intent.intent_type));
  const unsent = (scene.intents ?? []).filter((type) => !types.has(type)).map((type) => `not sent: ${type}`);
  const rash = ['delegate', 'prune_branch'].filter(
    (type) => types.has(type) && !(scene.intents ?? []).includes(type),
  );
  return [...missed, ...accused, ...unsent, ...rash.map((type) => `sent without need: ${type}`)];
}

function explainedNames({ payload }: WireIntent): string[] {
  const detail = payload['detail'];
  if (!isObject(detail)) return [];
  return objectsOf(detail['explains']).flatMap((item) => text(item['symptom']) ?? []);
}
