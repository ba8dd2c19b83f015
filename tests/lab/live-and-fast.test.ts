import { describe, expect, it, vi } from 'vitest';
import { playFast } from '../../bench/lab/fast.js';
import { LIVE_OPTIONS, liveEnv, liveStart } from '../../bench/lab/live/env.js';
import { whyNoDiskCanBeFilled } from '../../bench/lab/live/full-disk.js';
import { playLive } from '../../bench/lab/live/play.js';
import type { LabRun } from '../../bench/lab/result.js';
import { SCENARIOS } from '../../bench/lab/scenarios/index.js';
import { scoreRun } from '../../bench/lab/score.js';
import { CLI } from '../support/cli.js';
import { tempDir } from '../support/temp-dir.js';
import { isKnownMiss } from './known-misses.js';

/** Everything that was decided aloud: remarks of low severity depend on what is installed here. */
function decisions({ ticks, sessionDir }: LabRun) {
  const told = ticks.map(({ tick, alerts, intents }) => ({
    tick,
    alerts: alerts
      .filter(({ severity }) => severity !== 'low')
      .map(({ name, severity, subject, destructive }) => ({ name, severity, subject, destructive })),
    destructive: intents.filter((intent) => !intent.includes(':') || intent.startsWith('prune:')),
  }));
  return JSON.parse(JSON.stringify(told).replaceAll(sessionDir, '$SESSION'));
}

interface Case {
  readonly name: string;
  readonly hours: number;
  /** Minutes between ticks. */
  readonly pause: readonly [number, number];
}

// A tick is a process of its own, and a busy machine starts a dozen of them slowly.
vi.setConfig({ testTimeout: 240_000 });

const noDisk = whyNoDiskCanBeFilled();
if (noDisk !== undefined)
  process.stderr.write(`no disk can be filled here, so that part is left out: ${noDisk}\n`);

/** At least one scenario of every family; where few ticks are enough, they are further apart. */
const FAMILIES: Readonly<Record<string, readonly Case[]>> = {
  logs: [
    { name: 'page-fault-on-the-gpu', hours: 1.6, pause: [14, 19] },
    { name: 'logs-that-rotate', hours: 1.6, pause: [9, 13] },
  ],
  'HTTP health': [
    { name: 'frozen-solid', hours: 2.4, pause: [9, 13] },
    { name: 'five-hundreds', hours: 1.9, pause: [12, 16] },
  ],
  database: [{ name: 'database-corrupt', hours: 1.8, pause: [16, 21] }],
  files: [{ name: 'state-file-torn', hours: 2.2, pause: [16, 21] }],
  'GPUs and processes': [
    { name: 'gpu-lost', hours: 1.8, pause: [16, 21] },
    { name: 'memory-too-hot', hours: 1.8, pause: [16, 21] },
    { name: 'killed-without-a-word', hours: 1.8, pause: [16, 21] },
  ],
  disk: [{ name: 'disk-of-the-traces-full', hours: 1.8, pause: [16, 21] }],
  Ray: [{ name: 'ray-head-dies', hours: 1.8, pause: [16, 21] }],
  gateway: [{ name: 'gateway-down', hours: 2.2, pause: [14, 19] }],
  'budget and closing': [
    { name: 'last-half-hour-without-gain', hours: 1.5, pause: [12, 16] },
    { name: 'closing-in-time', hours: 2.3, pause: [16, 21] },
  ],
  bus: [{ name: 'the-same-payload-again', hours: 2.3, pause: [9, 13] }],
  prompt: [{ name: 'foreign-text-in-the-prompt', hours: 1.4, pause: [9, 13] }],
};

describe('live and fast mode decide alike', () => {
  for (const [family, cases] of Object.entries(FAMILIES)) {
    for (const { name, hours, pause } of cases) {
      it.skipIf(family === 'disk' && noDisk !== undefined)(`${family}: ${name}`, async () => {
        const scenario = SCENARIOS.find((candidate) => candidate.name === name);
        if (scenario === undefined) throw new Error(`there is no scenario ${name}`);
        expect(scenario.isLive).toBe(true);
        const common = { hours, startUnix: liveStart(), options: LIVE_OPTIONS, life: { pause } };
        const live = await playLive(scenario, 11, { ...common, parent: tempDir(), cli: CLI, env: liveEnv() });
        const fast = playFast(scenario, 11, common);
        expect(decisions(live)).toEqual(decisions(fast));
        const { faults, wrong } = scoreRun(live);
        expect(wrong).toEqual([]);
        expect(faults.every(({ found }) => (found === null) === isKnownMiss(name))).toBe(true);
      });
    }
  }

  it('a world that no file or process stands for is refused', async () => {
    const scenario = SCENARIOS.find(({ name }) => name === 'no-gpu-tool');
    if (scenario === undefined) throw new Error('there is no scenario no-gpu-tool');
    expect(scenario.isLive).not.toBe(true);
    const played = playLive(scenario, 1, { parent: tempDir(), cli: CLI, env: liveEnv() });
    await expect(played).rejects.toThrow('this cannot be played live: a blind collector gpu');
  });
});
