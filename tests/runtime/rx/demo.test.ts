import { describe, expect, it } from 'vitest';
import { run } from '../../../src/runtime/rx.js';
import { runCommand } from '../../support/command-io.js';

const rx = (...argv: string[]) => runCommand(run, argv);

describe('rx demo', () => {
  it('prints the original and ours side by side and explains the difference in five lines', async () => {
    const { code, stdout } = await rx('demo');
    expect(code).toBe(0);
    expect(stdout).toMatch(/failing actions +49\.9 % -> 15\.0 % +48\.9 % -> 14\.8 %/);
    expect(stdout).toMatch(/fixes accepted +4 of 7 attempts +4 of 6 attempts/);
    expect(stdout).toMatch(/pairs of runs it took +280 +58/);
    expect(stdout).toMatch(/optimum on 40 other seed sets +17 of 40 +40 of 40/);
    expect(stdout).toMatch(/ranking, AUC against prior +0\.99 against 0\.94 +1\.00 against 0\.85/);
    expect(stdout).toMatch(/Brier score +0\.038 +0\.001/);
    const lines = stdout.trimEnd().split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    const from = lines.indexOf('What the difference is');
    expect(lines.slice(from + 1).map((line) => line.slice(0, 3))).toEqual([
      '1. ',
      '2. ',
      '3. ',
      '4. ',
      '5. ',
    ]);
  });

  it('gives both as JSON', async () => {
    const { stdout } = await rx('demo', '--json', '--confirm-runs', '20');
    const { reference, ours } = JSON.parse(stdout);
    expect(reference.overall).toMatchObject({ control_rate: 0.49875, treatment_rate: 0.15 });
    expect(reference.iterations[0]).toMatchObject({ n_pairs: null, guard: [], verdict: 'accept' });
    expect(ours).toMatchObject({ gate: 'paired', streams: 'independent', confirmation: { total: 1200 } });
    expect(ours.iterations[0]).toMatchObject({
      alpha_k: 0.00625,
      n_decision: 12,
      n_pairs: 12,
      attribution: 1,
    });
    expect(ours.iterations[0].guard[0]).toHaveProperty('p_harm');
    const falseAccepts = [reference.nulls.share, ours.nulls.share];
    expect(falseAccepts[0]).toBeGreaterThan(0.45);
    expect(falseAccepts[1]).toBeLessThanOrEqual(0.05);
  });

  it('prints one gate alone when asked for it', async () => {
    const { code, stdout } = await rx('demo', '--gate', 'z', '--streams', 'shared');
    expect(code).toBe(0);
    expect(stdout).toContain('49.9% → 15.0% failed actions');
    expect(stdout).not.toContain('48.9');
  });

  it.each([
    [['demo', '--gate', 'coin'], "'--gate <kind>' argument 'coin' is invalid"],
    [['demo', '--streams', 'wild'], 'Expected independent or reference'],
    [['demo', '--alpha', '7'], 'Expected a number of at least'],
    [['demo', '--max-pairs', '1.5'], 'Expected a whole number'],
    [['demo', '--seed', '42'], 'RA_RX_SEEDS: the discovery seeds from 42'],
    [['demo', '--wrong'], "unknown option '--wrong'"],
    [['nothing'], 'RA_USAGE: rx has no command "nothing"'],
  ])('refuses %j', async (argv, message) => {
    const { code, stdout, stderr } = await rx(...argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });

  it('explains itself', async () => {
    expect(await rx()).toMatchObject({ code: 0, stderr: '' });
    const { code, stdout } = await rx('demo', '--help');
    expect(code).toBe(0);
    expect(stdout).toContain('Exit codes');
  });
});
