import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { modelContinuation } from '../../../src/investigate/loop/open-model.js';
import type { HealResult } from '../../../src/investigate/model/heal-result.js';
import { type RunTape, recordingTape, replayTape } from '../../../src/investigate/replay/run-tape.js';
import { investigate } from '../../../src/investigate/run.js';
import { createRedactor, Secret } from '../../../src/investigate/safety/redactor.js';
import { openServices } from '../../../src/investigate/tools/service-tools.js';
import type { ChatModel } from '../../../src/llm/chat.js';
import { GITHUB_TOKEN, openWorld, REPO, setupOf, type World } from '../fakes/run-case.js';
import { scripted } from './scripted-model.js';

const redactor = createRedactor([GITHUB_TOKEN]);
const FACTS = { provider: 'openai', model: 'scripted' };

let directory: string;
let world: World;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'tape-'));
  world = await openWorld('cartFailure', true);
});
afterEach(async () => {
  await world.close();
  rmSync(directory, { recursive: true, force: true });
});

async function run(tape: RunTape, model: ChatModel | null, repo: string | null = REPO): Promise<HealResult> {
  const { signal } = new AbortController();
  const secrets = { githubToken: new Secret(GITHUB_TOKEN) };
  const services = await openServices({ config: world.config, secrets, repo, signal, wrap: tape.http });
  try {
    const taped = tape.model(model);
    return await investigate({
      ...setupOf(world),
      tools: services.tools.map((tool) => (tool.capability === 'session' ? tape.tool(tool) : tool)),
      trees: services.trees,
      now: tape.now,
      redactor,
      ...(taped === null
        ? {}
        : {
            continueWithModel: modelContinuation({
              model: taped,
              config: world.config,
              signal,
              nonce: tape.random(8),
            }),
          }),
    });
  } finally {
    await services.close();
  }
}

describe('a recorded investigation', () => {
  it('gives the same result again and again, with nobody there to ask', async () => {
    const path = join(directory, 'run.jsonl');
    const recording = recordingTape(path, FACTS, redactor.text);
    if (!recording.ok) throw new Error(recording.problem);
    // The corpus ends in the past: the recorded clock is set there.
    const tape = { ...recording.value, now: () => world.nowUnix };
    const model = scripted([
      { call: 'query_logs', args: { service: 'cart', time_window_minutes: 30 } },
      {
        call: 'submit_result',
        args: {
          issue_summary: 'carts fail',
          root_cause: {
            description: 'no store',
            confidence: 0.45,
            error_type: 'runtime_error',
            claims: [{ text: 'x', receipt_ids: ['r004'], quote: 'access cart storage' }],
          },
          recommended_fix: 'look at the store',
        },
      },
    ]);
    const first = await run(tape, model);
    expect(first.mode).toBe('llm');
    const source = readFileSync(path, 'utf8');
    expect(source).not.toContain(GITHUB_TOKEN);
    await Promise.all(Object.values(world.fakes).map((fake) => fake.close()));
    const replays = [];
    for (let time = 0; time < 2; time += 1) {
      const replay = replayTape(source, redactor.text);
      if (!replay.ok) throw new Error(replay.problem);
      replays.push(JSON.stringify(await run({ ...replay.value.tape, now: () => world.nowUnix }, null)));
    }
    expect(replays).toEqual([JSON.stringify(first), JSON.stringify(first)]);
  });

  it('a request that it does not hold is a miss, and nothing goes out', async () => {
    const path = join(directory, 'empty.jsonl');
    const recording = recordingTape(path, {}, redactor.text);
    if (!recording.ok) throw new Error(recording.problem);
    const replay = replayTape(readFileSync(path, 'utf8'), redactor.text);
    if (!replay.ok) throw new Error(replay.problem);
    const before = Object.values(world.fakes).map(({ requests }) => requests.length);
    const result = await run(replay.value.tape, null, null);
    expect(result.investigation_steps.map(({ result_summary: summary }) => summary.split(',')[0])).toEqual([
      'replay_miss',
      'replay_miss',
    ]);
    expect(Object.values(world.fakes).map(({ requests }) => requests.length)).toEqual(before);
    expect(result.root_cause.error_type).toBe('unknown');
  });

  it('a torn cassette is refused as a whole', () => {
    expect(replayTape('{"schema_version": 1', redactor.text).ok).toBe(false);
  });
});
