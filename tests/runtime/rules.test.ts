import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../../src/runtime/rules.js';
import { RULES } from '../../src/signals/registry.js';
import { runCommand } from '../support/command-io.js';
import { tempDir } from '../support/temp-dir.js';

describe('rules list', () => {
  it('names every rule and every symptom, in 80 columns', async () => {
    const { code, stdout } = await runCommand(run, ['list']);
    expect(code).toBe(0);
    for (const rule of RULES)
      for (const name of [rule.name, ...Object.keys(rule.symptoms)]) expect(stdout).toContain(name);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });
});

describe('rules explain', () => {
  it('says of a symptom what it means, what to do, and the thresholds in force', async () => {
    const directory = tempDir();
    const config = join(directory, 'c.json');
    writeFileSync(config, '{"agent_stall_timeout_s": 123}');
    const { code, stdout } = await runCommand(run, ['explain', 'agent_stall', '--config', config]);
    expect(code).toBe(0);
    expect(stdout).toContain('What to do:');
    expect(stdout).toContain('agent_stall_timeout_s = 123 s');
    expect(stdout).not.toContain('agent_quiet_work_progressing (');
  });

  it('says of a rule all of its symptoms', async () => {
    expect((await runCommand(run, ['explain', 'stall'])).stdout).toContain(
      'agent_quiet_work_progressing (low)',
    );
  });

  it.each(RULES.map(({ name }) => name))('can explain %s, in 80 columns', async (name) => {
    const { code, stdout } = await runCommand(run, ['explain', name]);
    expect(code).toBe(0);
    for (const line of stdout.split('\n')) {
      // A setting and its value stay on one line, however long a list is.
      if (!/^ {2}\w+ = /.test(line)) expect(line.length).toBeLessThanOrEqual(80);
    }
  });

  it('refuses an unknown name, and a bad settings file', async () => {
    expect(await runCommand(run, ['explain', 'nonsense'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^RA_RULE_UNKNOWN: /),
    });
    const config = join(tempDir(), 'c.json');
    writeFileSync(config, '{"agent_stall_timeout_s": "long", "colour": 1}');
    expect(await runCommand(run, ['explain', 'stall', '--config', config])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^RA_CONFIG_INVALID: .*agent_stall_timeout_s.*colour/),
    });
  });
});
