import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLI } from '../support/cli.js';
import { PACKED_FROM } from '../support/installation.js';
import { tempDir } from '../support/temp-dir.js';

const UNIT = 'robustness-agent@.service';
const unit = readFileSync(join('packaging', UNIT), 'utf8');
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;
if (!hasSystemd)
  console.warn('tests/e2e/packaging.test.ts: systemd-analyze is missing; the unit is not verified');

/** What systemd says of a unit for the session `/data/sessions/a`; empty when it has nothing to say. */
function verify(text: string): string {
  const name = UNIT.replace('@', '@data-sessions-a');
  const path = join(tempDir(), name);
  writeFileSync(path, text.replace('ExecStart=robustness-agent', `ExecStart=${process.execPath} ${CLI}`));
  const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', path], { encoding: 'utf8' });
  // Other units of the machine are no concern of ours.
  return `${stdout}${stderr}`
    .split('\n')
    .filter((line) => line.includes('robustness-agent'))
    .join('\n');
}

describe('the systemd unit', () => {
  it('runs the loop for the directory that names the instance, and may write there', () => {
    expect(unit).toContain('\nExecStart=robustness-agent run --session-dir %f\n');
    expect(unit).toContain('\nReadWritePaths=%f\n');
  });

  it.runIf(hasSystemd)('is one that systemd understands', () => {
    expect(verify(unit)).toBe('');
    expect(verify(unit.replace('PrivateTmp=', 'PrivateTemp='))).toContain('PrivateTemp');
  });
});

describe('the container file', () => {
  it('takes along what packing needs, and nothing else', () => {
    const [first, ...kept] = readFileSync('packaging/Dockerfile.dockerignore', 'utf8').trim().split('\n');
    expect(first).toBe('*');
    const names = kept.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    const expanded = names.flatMap((name) =>
      name === 'tsconfig*.json' ? ['tsconfig.json', 'tsconfig.api.json'] : [name],
    );
    expect(expanded.sort()).toEqual([...PACKED_FROM, 'package-lock.json'].sort());
  });

  it('runs on the Node that package.json asks for, and not as root', () => {
    const file = readFileSync('packaging/Dockerfile', 'utf8');
    const bases = [...file.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
    expect(bases).toEqual(['node:20-slim', 'node:20-slim']);
    expect(file.lastIndexOf('\nUSER node\n')).toBeGreaterThan(file.lastIndexOf('\nRUN '));
  });
});
