import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLI, cleanEnv, runCli } from '../support/cli.js';
import { tempDir } from '../support/temp-dir.js';
import { requestFiles } from '../support/tick-request.js';

/** The built product without the compiled code that came with it, as for another version of Node. */
function withoutCompiledCode(root: string): string {
  const copy = join(root, 'package');
  mkdirSync(copy);
  cpSync(resolve('dist'), join(copy, 'dist'), { recursive: true });
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
  for (const name of readdirSync(join(copy, 'dist'))) {
    if (name.endsWith('.v8cache')) rmSync(join(copy, 'dist', name));
  }
  return join(copy, 'dist', 'cli.js');
}

function run(cli: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const { status, stderr } = spawnSync(process.execPath, [cli, ...args], { env: cleanEnv(env) });
  return { status, stderr: stderr.toString() };
}

describe('the start of a tick', () => {
  it('loads none of the modules of Node that take long', async () => {
    const root = tempDir();
    const { request, out } = requestFiles(root, { sessionDir: root, crashCount: 0 });
    const note = join(root, 'note.cjs');
    writeFileSync(
      note,
      `process.on('exit', () => require('fs').writeFileSync(${JSON.stringify(join(root, 'modules'))}, process.moduleLoadList.join('\\n')))`,
    );
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--require', note, CLI, 'tick', '--request', request, '--out', out],
      { env: cleanEnv(), stdio: ['ignore', 'pipe', 'pipe'] },
    );
    expect({ status, stderr: stderr.toString() }).toEqual({ status: 0, stderr: '' });
    const loaded = new Set(readFileSync(join(root, 'modules'), 'utf8').split('\n'));
    const slow = ['stream', 'net', 'crypto', 'http', 'child_process', 'perf_hooks', 'fs/promises'];
    const met = [...slow, 'internal/modules/esm/loader'].filter((name) => loaded.has(`NativeModule ${name}`));
    expect(met).toEqual([]);
  });

  it('keeps what it compiled for the next one, where none came with it', () => {
    const root = tempDir();
    const cli = withoutCompiledCode(root);
    const cacheHome = join(root, 'cache');
    const { request, out } = requestFiles(root, { sessionDir: root });
    const args = ['tick', '--request', request, '--out', out];
    expect(run(cli, args, { XDG_CACHE_HOME: cacheHome })).toEqual({ status: 0, stderr: '' });
    const kept = readdirSync(join(cacheHome, 'robustness-agent'));
    expect(kept).toHaveLength(1);
    expect(run(cli, args, { XDG_CACHE_HOME: cacheHome })).toEqual({ status: 0, stderr: '' });
    expect(readdirSync(join(cacheHome, 'robustness-agent'))).toEqual(kept);
  });

  it('needs no place to keep it', () => {
    const root = tempDir();
    const cli = withoutCompiledCode(root);
    const { request, out } = requestFiles(root, { sessionDir: root });
    const env = { XDG_CACHE_HOME: '/proc/none', HOME: '' };
    expect(run(cli, ['tick', '--request', request, '--out', out], env)).toEqual({ status: 0, stderr: '' });
  });

  it('says where its time went when it is asked, and nothing else changes', async () => {
    const root = tempDir();
    const { request, out } = requestFiles(root, { sessionDir: root });
    const { code, stdout, stderr } = await runCli([
      'tick',
      '--request',
      request,
      '--out',
      out,
      '--trace-timing',
    ]);
    expect(code).toBe(0);
    expect(stdout).toBe(readFileSync(out, 'utf8'));
    const [byPhase = ''] = stderr.split('collectors, beside each other');
    const phases = byPhase.split('\n').map((line) => line.slice(0, 20).trim());
    const expected = [
      'start of Node',
      'modules',
      'request',
      'lock and state',
      'prompt',
      'collectors',
      'judge',
      'decide',
      'answer',
      'findings',
      'state',
    ];
    expect(phases.filter((phase) => expected.includes(phase))).toEqual(expected);
  });
});
