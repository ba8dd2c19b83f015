import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { intentWord, type SentIntent } from '../../bench/lab/echo.js';
import { playFast } from '../../bench/lab/fast.js';
import { seedOf } from '../../bench/lab/random.js';
import { SCENARIOS } from '../../bench/lab/scenarios/index.js';
import { runCli } from '../support/cli.js';
import { tempDir } from '../support/temp-dir.js';
import { runLab } from './run-lab.js';

it('what the lab exports replays to the same decisions, several sessions in one file', async () => {
  const file = join(tempDir(), 'runs.jsonl');
  const names = ['leak-on-one-of-eight', 'leak-on-one-of-eight-slow-ticks'];
  const lab = await runLab(['--scenario', 'leak-on-one', '--seed', '3', '--repeat', '2', '--export', file]);
  expect({ code: lab.code, stderr: lab.stderr }).toEqual({ code: 0, stderr: '' });
  const runs = names.map((name) => {
    const scenario = SCENARIOS.find((candidate) => candidate.name === name);
    if (scenario === undefined) throw new Error(`there is no scenario ${name}`);
    return playFast(scenario, seedOf(3, name, 0));
  });
  expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(
    runs.reduce((sum, { ticks }) => sum + ticks.length, 0),
  );

  const { code, stdout, stderr } = await runCli(['replay', file]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const replayed = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).intent_envelope.intents.map((intent: SentIntent) => intentWord(intent)));
  expect(replayed).toEqual(runs.flatMap(({ ticks }) => ticks.map(({ intents }) => intents)));
  expect(replayed.flat()).toContain('recover');
});
