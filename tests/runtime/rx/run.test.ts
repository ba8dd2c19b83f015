import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../../src/runtime/rx.js';
import { type CommandOutcome, runCommand } from '../../support/command-io.js';
import { completion, startProvider } from '../../support/provider-server.js';

let directory = '';

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'rx-run-test-'));
  writeFileSync(join(directory, 'system.sh'), SYSTEM);
  writeFileSync(join(directory, 'catalogue.json'), JSON.stringify(CATALOGUE));
});

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

/**
 * A small real system of thirty actions per run. The first twenty meet `agent_error`, less with more workers; the others
 * `information_lag`. `polish` does nothing; `greedy` trades errors for lag. The same seed gives the same luck.
 */
const SYSTEM = `#!/bin/sh
knob() { printf '%s' "$RX_CONFIG_JSON" | sed "s/.*\\"$1\\":\\([0-9]*\\).*/\\1/"; }
awk -v seed="$RX_SEED" -v workers="$(knob workers)" -v greedy="$(knob greedy)" 'BEGIN {
  srand(seed);
  for (t = 0; t < 30; t++) {
    u = rand(); class = "null";
    if (t < 20 && u < 0.6 / workers - 0.3 * greedy) class = "\\"agent_error\\"";
    if (t >= 20 && u < 0.1 + 0.3 * greedy) class = "\\"information_lag\\"";
    printf "{\\"run_id\\":\\"r\\",\\"turn\\":%d,\\"agent_id\\":\\"a\\",\\"action_succeeded\\":%s,\\"failure_classification\\":%s}\\n", t, class == "null" ? "true" : "false", class;
  }
}' > "$RX_OUT"
`;

const action = (action_id: string, targets: string[], knob: string, value: number) => ({
  action_id,
  targets,
  knob,
  op: 'add',
  value,
  max: 4,
  description: `Raise ${knob}.`,
});

const CATALOGUE = {
  config: { workers: 1, polish: 0, greedy: 0 },
  actions: [
    action('more_polish', ['agent_error'], 'polish', 1),
    action('more_workers', ['agent_error'], 'workers', 3),
  ],
};

/** Rows of the outcome log; each write begins on a line of its own, so that a torn one costs itself. */
function rowsOf(path: string): string[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}

function rx(...argv: string[]): Promise<CommandOutcome> {
  return runCommand(run, ['run', ...argv], {
    cwd: directory,
    env: { ...process.env, ROBUSTNESS_STATE_DIR: join(directory, 'state') },
  });
}

const EXEC = [
  '--adapter',
  'exec',
  '--command',
  'sh system.sh',
  '--catalogue',
  'catalogue.json',
  '--no-memory',
];

describe('rx run on the simulator', () => {
  it('repairs it and remembers what it learned, privately', async () => {
    const { code, stdout } = await rx('--confirm-runs', '20');
    expect(code).toBe(0);
    expect(stdout).toContain('Accepted: 4 (add_navigator_retry');
    const log = join(directory, 'state', 'rx', 'outcomes.jsonl');
    expect(rowsOf(log)).toHaveLength(6);
    expect(statSync(log).mode & 0o777).toBe(0o600);
    await rx('--confirm-runs', '0', '--max-iters', '1');
    expect(rowsOf(log)).toHaveLength(7);
    await rx('--confirm-runs', '0', '--max-iters', '1', '--no-memory');
    expect(rowsOf(log)).toHaveLength(7);
  });

  it('does nothing with no attempts', async () => {
    const { code, stdout } = await rx('--max-iters', '-1', '--confirm-runs', '5', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ iterations: [], accepted: [], overall: { abs_delta: 0 } });
  });

  it('writes its report to a file, or says why not', async () => {
    const path = join(directory, 'report.json');
    const quick = ['--no-memory', '--confirm-runs', '0', '--max-iters', '1', '--json'];
    expect(await rx(...quick, '--output', path)).toMatchObject({ code: 0, stdout: '' });
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ confirmation: null });
    const page = join(directory, 'report.html');
    await rx('--no-memory', '--confirm-runs', '0', '--max-iters', '1', '--output', page);
    expect(readFileSync(page, 'utf8')).toMatch(/^<!doctype html>/);
    const refused = await rx(...quick, '--output', join(directory, 'no', 'such', 'place'));
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('RA_OUTPUT');
  });

  it('needs knobs that the simulator has', async () => {
    const { code, stderr } = await rx('--catalogue', 'catalogue.json');
    expect(code).toBe(2);
    expect(stderr).toContain('RA_RX_CATALOGUE: the simulator needs the knob planner_consistency');
  });
});

describe('rx run with a model', () => {
  const quick = ['--llm', '--no-memory', '--confirm-runs', '0', '--max-iters', '2', '--json'];

  it('follows a usable choice and lets the heuristic stand in for an unusable one', async () => {
    const replies = [
      '{"action_id": "add_navigator_retry", "rationale": "Faults stay for many turns."}',
      'no idea',
    ];
    const provider = await startProvider((_seen, index) =>
      completion({ content: replies[Math.min(index, 1)] ?? '' }),
    );
    const env = {
      OPENAI_API_KEY: 'test-key',
      OPENAI_BASE_URL: `${provider.origin}/v1`,
      OPENAI_MODEL: 'tiny',
    };
    const { code, stdout } = await runCommand(run, ['run', ...quick], { cwd: directory, env });
    await provider.close();
    expect(code).toBe(0);
    const { iterations, notes } = JSON.parse(stdout);
    expect(iterations.map((i: { source: string }) => i.source)).toEqual(['llm', 'heuristic']);
    expect(iterations[0].rationale).toBe('Faults stay for many turns.');
    expect(notes.join(' ')).toContain('The heuristic proposed for');
    expect(provider.requests).toHaveLength(2);
  });

  it('says so when there is no model to ask', async () => {
    const { code, stdout } = await runCommand(run, ['run', ...quick], { cwd: directory, env: {} });
    expect(code).toBe(0);
    expect(JSON.parse(stdout).notes.join(' ')).toContain('instead of a model: no usable credentials');
  });

  it('asks nobody where calls are forbidden', async () => {
    const env = { OPENAI_API_KEY: 'test-key', ROBUSTNESS_LLM_RCA_DISABLED: '1' };
    const { stdout } = await runCommand(run, ['run', ...quick], { cwd: directory, env });
    expect(JSON.parse(stdout).notes.join(' ')).toContain('turned off');
  });
});

describe('rx run on a real system', () => {
  it('accepts what helps, drops what does nothing, and confirms on other seeds', async () => {
    const { code, stdout } = await rx(...EXEC, '--json', '--confirm-runs', '10');
    expect(code).toBe(0);
    const result = JSON.parse(stdout);
    expect(
      result.iterations.map((i: { action_id: string; verdict: string }) => [i.action_id, i.verdict]),
    ).toEqual([
      ['more_polish', 'inert'],
      ['more_workers', 'accept'],
      // Tried again, because workers act on the same class.
      ['more_polish', 'inert'],
    ]);
    expect(result).toMatchObject({
      streams: 'external',
      max_pairs: 40,
      aa: { n_pairs: 10, reproducible: true, broken: null },
      final_config: { workers: 4, polish: 0, greedy: 0 },
      confirmation: { n_pairs: 10, n_dropped: 0, total: 300 },
    });
    expect(result.iterations[1]).toMatchObject({ ground_truth_correct: null, right_lever: true });
    expect(result.overall.treatment_rate).toBeLessThan(result.overall.control_rate);
  });

  it('calls a fix harmful that trades one class for another', async () => {
    const greedy = { ...CATALOGUE, actions: [action('be_greedy', ['agent_error'], 'greedy', 1)] };
    writeFileSync(join(directory, 'greedy.json'), JSON.stringify(greedy));
    const { stdout } = await rx(
      ...EXEC,
      '--catalogue',
      'greedy.json',
      '--json',
      '--confirm-runs',
      '0',
      '--aa-pairs',
      '1',
    );
    const [iteration] = JSON.parse(stdout).iterations;
    expect(iteration).toMatchObject({ verdict: 'harmful', accepted: false, n_pairs: 40 });
    expect(iteration.reason).toContain('information_lag');
  });

  it.each([
    [['--adapter', 'exec'], 'RA_USAGE: --adapter exec needs --command'],
    [['--command', 'true'], 'RA_USAGE: --command belongs to --adapter exec'],
    [[...EXEC, '--gate', 'z'], 'RA_USAGE: --gate z belongs to the simulator'],
    [[...EXEC, '--streams', 'reference'], 'RA_USAGE: --streams belongs to the simulator'],
    [[...EXEC, '--command', 'exit 3'], 'RA_RX_HARNESS: control against control: 2 of 2 pairs were lost'],
    [[...EXEC, '--command', 'exit 3', '--aa-pairs', '0'], 'RA_RX_SYSTEM: 2 discovery runs failed'],
    [['--catalogue', 'nowhere.json'], 'RA_RX_CATALOGUE: nowhere.json cannot be read'],
    [['--catalogue', 'system.sh'], 'RA_RX_CATALOGUE: system.sh: not valid JSON'],
  ])('refuses %j', async (argv, message) => {
    const { code, stdout, stderr } = await rx(...argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});
