import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { SCENARIOS } from '../../bench/lab/scenarios/index.js';
import { tempDir } from '../support/temp-dir.js';
import { runLab } from './run-lab.js';

// A tick is a process of its own, and a busy machine starts a dozen of them slowly.
vi.setConfig({ testTimeout: 240_000 });

describe('the lab from the command line', () => {
  it('plays a scenario live, prints the table and says how long it took', async () => {
    const file = join(tempDir(), 'figures.json');
    const options = ['--scenario', 'foreign-text', '--session-hours', '0.3', '--seed', '4', '--json', file];
    const { code, stdout, stderr } = await runLab(['--live', ...options]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^ {2}foreign-text-in-the-prompt +0 +\d+ +0 +0 +0\.0$/m);
    expect(stdout).toMatch(/^seed 4, \d+ s, \d+ ticks played live, \d\.\d\d s each$/m);
    expect(stdout).toContain('escalations lost unknown');
    const { is_live, runs } = JSON.parse(readFileSync(file, 'utf8'));
    expect({ is_live, count: runs.length, wrong: runs[0].wrong }).toEqual({
      is_live: true,
      count: 1,
      wrong: [],
    });
  });

  it('marks in its list what can be played live', async () => {
    const { stdout } = await runLab(['--list']);
    const lines = stdout.trim().split('\n');
    expect(lines).toHaveLength(SCENARIOS.length);
    const live = lines.filter((line) => / live /.test(line.slice(0, 14)));
    expect(live).toHaveLength(SCENARIOS.filter(({ isLive }) => isLive).length);
  });

  it.each([
    [['--seed', 'one'], '--seed wants a number above 0'],
    [['--repeat', '0'], '--repeat wants a number above 0'],
    [['--colour'], "Unknown option '--colour'"],
    [['--scenario', 'nothing-like-it'], 'no scenario has nothing-like-it in its name'],
    [['--live', '--scenario', 'no-gpu-tool'], 'nothing of no-gpu-tool can be played live'],
    [['--live', '--export', 'x.jsonl'], '--export writes fast runs only'],
  ])('refuses %j and says what it wants', async (args, message) => {
    const { code, stdout, stderr } = await runLab(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).toContain('usage: npm run lab');
  });
});
