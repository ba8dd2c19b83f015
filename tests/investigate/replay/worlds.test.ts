import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HealResult } from '../../../src/investigate/model/heal-result.js';
import { LIVE, recordingTape, replayTape } from '../../../src/investigate/replay/run-tape.js';
import { createRedactor } from '../../../src/investigate/safety/redactor.js';
import { SCENES } from '../evals/made/index.js';
import { play, timeOf } from '../evals/made/play.js';
import type { Scene } from '../evals/made/scene.js';
import { scripted } from '../loop/scripted-model.js';
import { cannotRun, reading } from '../sandbox/bwrap-support.js';

const { text: redact } = createRedactor([]);
const FACTS = { provider: 'openai', model: 'scripted' };
const driver = reading.ok ? reading.driver : null;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'worlds-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function sceneOf(name: string): Scene {
  const found = SCENES.find((scene) => scene.name === name);
  if (found === undefined) throw new Error(`no scene ${name}`);
  return found;
}

/** Plays a scene once, with a clock that moves on, and gives the cassette. */
async function record(scene: Scene): Promise<{ result: HealResult; cassette: string }> {
  let now = timeOf(scene);
  const clock = { now: () => (now += 0.001), random: LIVE.random };
  const path = join(directory, 'run.jsonl');
  const opened = recordingTape(path, FACTS, redact, clock);
  if (!opened.ok) throw new Error(opened.problem);
  const result = await play(scene, { model: scripted(scene.script), driver, tape: opened.value });
  expect(opened.value.problems()).toEqual([]);
  return { result, cassette: readFileSync(path, 'utf8') };
}

/** Plays it again with no model, no sandbox, no server, no source and an empty session. */
async function replay(
  scene: Scene,
  cassette: string,
): Promise<{ result: HealResult; problems: readonly string[] }> {
  const opened = replayTape(cassette, redact);
  if (!opened.ok) throw new Error(opened.problem);
  const { tape } = opened.value;
  const result = await play(scene, { model: null, driver: null, tape });
  return { result, problems: tape.problems() };
}

/** Kinds of the entries, each once. */
function kindsOf(cassette: string): string[] {
  const entries = cassette.trim().split('\n').slice(1);
  return [...new Set(entries.map((line) => String(JSON.parse(line).kind)))].sort();
}

const SANDBOXED = 'log, trace, source line and a reproduction';

describe('a recorded world', () => {
  it.each([
    'trace, log and source line',
    'twenty healthy traces at the time of the line',
    'out of memory: log, task and GPU',
    'a patched kernel: log, result and source line',
  ])('%s: is the same again and again, byte for byte', async (name) => {
    const scene = sceneOf(name);
    const { result, cassette } = await record(scene);
    for (let time = 0; time < 2; time += 1) {
      const again = await replay(scene, cassette);
      expect(JSON.stringify(again.result)).toBe(JSON.stringify(result));
      expect(again.problems).toEqual([]);
    }
  });
});

describe.skipIf(driver === null)(`a recorded sandbox${cannotRun}`, () => {
  it.each([
    SANDBOXED,
    'a control that fails as well',
    'a script that raises the error by itself',
    'a reproduction of another error of this file',
  ])('%s: is the same again and again, byte for byte', async (name) => {
    const scene = sceneOf(name);
    const { result, cassette } = await record(scene);
    expect(kindsOf(cassette)).toEqual(['clock', 'http', 'llm', 'random', 'sandbox', 'session']);
    for (let time = 0; time < 2; time += 1) {
      const again = await replay(scene, cassette);
      expect(JSON.stringify(again.result)).toBe(JSON.stringify(result));
      expect(again.problems).toEqual([]);
    }
  });

  it('without its entry is a miss, and lifts nothing', async () => {
    const scene = sceneOf('log, source line and a reproduction');
    const { result, cassette } = await record(scene);
    expect(result.root_cause.confidence_level).toBe('high');
    const torn = cassette
      .split('\n')
      .filter((line) => !line.includes('"key":"reproduce_in_sandbox '))
      .join('\n');
    const again = await replay(scene, torn);
    expect(again.problems[0]).toMatch(/^replay_miss: nothing was recorded for sandbox reproduce_in_sandbox/);
    expect(again.result.root_cause.confidence_level).not.toBe('high');
    const [miss] = again.result.investigation_steps.filter(({ tool }) => tool === 'reproduce_in_sandbox');
    expect(miss?.result_summary).toMatch(/^replay_miss/);
  });

  it('holds no secret that the sandbox printed', async () => {
    const canary = 'ghp_canary0123456789canary0123456789';
    const scene = sceneOf(SANDBOXED);
    const [query, slice, ask, ...rest] = scene.script;
    if (query === undefined || slice === undefined || ask === undefined) throw new Error('no script');
    const run = { call: 'run', args: { command: ['echo', canary] } };
    const { cassette } = await record({ ...scene, script: [query, slice, ask, run, ...rest] });
    expect(cassette).not.toContain(canary);
  });
});

describe('a replay without entries', () => {
  it('names each kind that it misses', async () => {
    const path = join(directory, 'empty.jsonl');
    const opened = recordingTape(path, FACTS, redact);
    expect(opened.ok).toBe(true);
    const { result, problems } = await replay(
      sceneOf('trace, log and source line'),
      readFileSync(path, 'utf8'),
    );
    const kinds = new Set(problems.map((problem) => /for (\w+)/.exec(problem)?.[1]));
    expect([...kinds].sort()).toEqual(['clock', 'http', 'llm', 'random', 'sandbox']);
    expect(result).toMatchObject({ mode: 'deterministic', root_cause: { error_type: 'unknown' } });
  });
});
