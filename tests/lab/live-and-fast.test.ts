import { describe, expect, it } from 'vitest';
import { playFast } from '../../bench/lab/fast.js';
import { playLive } from '../../bench/lab/live/play.js';
import type { LabRun } from '../../bench/lab/result.js';
import { SCENARIOS } from '../../bench/lab/scenarios/index.js';
import { scoreRun } from '../../bench/lab/score.js';
import { CLI, cleanEnv } from '../support/cli.js';
import { tempDir } from '../support/temp-dir.js';

/** What this machine has or lacks must not matter; short waits keep the frozen server from making the test slow. */
const OPTIONS = {
  health_probe_timeout_s: 0.3,
  disk_used_warn_pct: 100,
  disk_used_crit_pct: 100,
  shm_used_warn_pct: 100,
  shm_used_crit_pct: 100,
};

/** Everything that was decided aloud: remarks of low severity depend on what is installed here. */
function decisions({ ticks }: LabRun) {
  return ticks.map(({ tick, alerts, intents }) => ({
    tick,
    alerts: alerts
      .filter(({ severity }) => severity !== 'low')
      .map(({ name, severity, subject, destructive }) => ({ name, severity, subject, destructive })),
    destructive: intents.filter((intent) => !intent.includes(':') || intent.startsWith('prune:')),
  }));
}

const CASES = [
  { name: 'frozen-solid', hours: 2.4 },
  { name: 'the-same-payload-again', hours: 2.3 },
  { name: 'state-file-torn', hours: 2.2 },
  { name: 'foreign-text-in-the-prompt', hours: 1.4 },
  { name: 'logs-that-rotate', hours: 1.6 },
] as const;

describe('live and fast mode decide alike', () => {
  for (const { name, hours } of CASES) {
    it(name, async () => {
      const scenario = SCENARIOS.find((candidate) => candidate.name === name);
      if (scenario === undefined) throw new Error(`there is no scenario ${name}`);
      expect(scenario.isLive).toBe(true);
      const startUnix = Math.floor(Date.now() / 1000);
      const common = { hours, startUnix, options: OPTIONS, life: { pause: [9, 13] as const } };
      const live = await playLive(scenario, 11, { ...common, parent: tempDir(), cli: CLI, env: cleanEnv() });
      const fast = playFast(scenario, 11, common);
      expect(decisions(live)).toEqual(decisions(fast));
      const { faults, wrong } = scoreRun(fast);
      expect(wrong).toEqual([]);
      expect(faults.every(({ found }) => found !== null)).toBe(true);
    });
  }
});
