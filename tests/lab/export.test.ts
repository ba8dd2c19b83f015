import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { intentWord, type SentIntent } from '../../bench/lab/echo.js';
import { playFast } from '../../bench/lab/fast.js';
import { SCENARIOS } from '../../bench/lab/scenarios/index.js';
import { runCli } from '../support/cli.js';
import { tempDir } from '../support/temp-dir.js';

it('an exported run replays to the same decisions', async () => {
  const scenario = SCENARIOS.find(({ name }) => name === 'frozen-solid');
  if (scenario === undefined) throw new Error('there is no scenario frozen-solid');
  const lines: string[] = [];
  const run = playFast(scenario, 3, { record: (tick) => lines.push(JSON.stringify(tick)) });
  const file = join(tempDir(), 'run.jsonl');
  writeFileSync(file, `${lines.join('\n')}\n`);
  const { code, stdout, stderr } = await runCli(['replay', file]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const replayed = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).intent_envelope.intents.map((intent: SentIntent) => intentWord(intent)));
  expect(replayed).toEqual(run.ticks.map(({ intents }) => intents));
});
