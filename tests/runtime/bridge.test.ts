import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../../src/runtime/bridge.js';
import { bridgeCheck } from '../../src/runtime/doctor/bridge-check.js';
import { runCommand } from '../support/command-io.js';
import { PYTHON } from '../support/host.js';
import { tempDir } from '../support/temp-dir.js';

const BRIDGE = resolve('bridge');
const PATH = process.env['PATH'] ?? '';

describe('bridge', () => {
  it('prints the directory, and beside it the line to export', async () => {
    const result = await runCommand(run, [], { env: {} });
    expect(result).toEqual({
      code: 0,
      stdout: `${BRIDGE}\n`,
      stderr: `export ROBUSTNESS_AGENT_ROOT=${BRIDGE}\n`,
    });
  });

  it('exports PYTHONPATH too where Python ignores the working directory', async () => {
    const { stderr } = await runCommand(run, [], { env: { PYTHONSAFEPATH: '1' } });
    expect(stderr).toContain(`export PYTHONPATH=${BRIDGE}"\${PYTHONPATH:+:$PYTHONPATH}"\n`);
  });

  it.each([{}, { PYTHONSAFEPATH: '1' }])('--check runs it (%j)', async (more) => {
    const result = await runCommand(run, ['--check', '--python', PYTHON], { env: { PATH, ...more } });
    expect(result).toMatchObject({ code: 0, stdout: `${BRIDGE}\n` });
    expect(result.stderr).toContain(`\nworks with ${PYTHON}\n`);
  });

  it('--check says why it does not work, with code 1', async () => {
    const env = { PATH: '/nonexistent' };
    const result = await runCommand(run, ['--check', '--python', PYTHON], { env });
    expect(result.code).toBe(1);
    expect(result.stderr).toContain(`does not work with ${PYTHON}: RA_BRIDGE_NODE: there is no node on PATH`);
  });

  it('--check says so when there is no such Python, with code 1', async () => {
    const result = await runCommand(run, ['--check'], { env: { PATH: '/nonexistent' } });
    expect(result.code).toBe(1);
    expect(result.stderr).toContain('not checked: there is no python3');
  });

  it('--json holds the same', async () => {
    const { stdout } = await runCommand(run, ['--json', '--check', '--python', PYTHON], { env: { PATH } });
    expect(JSON.parse(stdout)).toEqual({
      directory: BRIDGE,
      export: [`export ROBUSTNESS_AGENT_ROOT=${BRIDGE}`],
      check: { kind: 'works', python: PYTHON },
    });
  });
});

describe('doctor, about the bridge', () => {
  it('says how to use it when it is not in use', async () => {
    expect(await bridgeCheck({ PATH })).toMatchObject({ name: 'bridge', status: 'info' });
  });

  it('finds it working, also under another name', async () => {
    const linked = join(tempDir(), 'link');
    symlinkSync(BRIDGE, linked);
    for (const root of [BRIDGE, linked]) {
      const check = await bridgeCheck({ PATH, ROBUSTNESS_AGENT_ROOT: root });
      expect(check).toMatchObject({ status: 'ok' });
      expect(check.found).toContain(root);
    }
  });

  it('fails for a directory at which the Coordinator stops', async () => {
    const check = await bridgeCheck({ PATH, ROBUSTNESS_AGENT_ROOT: tempDir() });
    expect(check).toMatchObject({ status: 'fail' });
    expect(check.found).toContain('runtime/cli.py');
  });

  it('fails for another agent root, and where Python ignores it', async () => {
    const other = tempDir();
    mkdirSync(join(other, 'runtime'));
    writeFileSync(join(other, 'runtime/cli.py'), '');
    const env = { PATH: `/usr/bin:${PATH}` };
    expect(await bridgeCheck({ ...env, ROBUSTNESS_AGENT_ROOT: other })).toMatchObject({ status: 'fail' });
    const safe = await bridgeCheck({ ...env, PYTHONSAFEPATH: '1', ROBUSTNESS_AGENT_ROOT: BRIDGE });
    expect(safe).toMatchObject({ status: 'fail' });
    expect(safe.todo).toContain('PYTHONSAFEPATH');
  });

  it('warns when it cannot be tried', async () => {
    const check = await bridgeCheck({ PATH: '/nonexistent', ROBUSTNESS_AGENT_ROOT: BRIDGE });
    expect(check).toMatchObject({ status: 'warn' });
  });
});
