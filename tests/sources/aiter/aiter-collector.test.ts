import { symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aiterCollector } from '../../../src/sources/aiter/aiter-collector.js';
import { scanTree } from '../../../src/sources/aiter/scan-tree.js';
import type { ProcessFact } from '../../../src/sources/facts.js';
import { collect, type EnvChanges, NOW } from '../support/collector-env.js';
import { temporaryDirectory, writeTree } from '../support/tree.js';

function tree(files: readonly (readonly [path: string, content: string, age: number])[]): string {
  const root = temporaryDirectory();
  for (const [path, content, age] of files) {
    writeTree(root, { [path]: content });
    utimesSync(join(root, path), NOW - age, NOW - age);
  }
  return root;
}

function processFact(argv: readonly string[], changes: Partial<ProcessFact> = {}): ProcessFact {
  return {
    pid: 5,
    ppid: 1,
    uid: 0,
    state: 'R',
    startUnix: 1,
    argv,
    cwd: '/',
    isServer: false,
    matched: false,
    sessionOwned: null,
    otherSession: null,
    port: null,
    host: null,
    ...changes,
  };
}

async function look(changes: EnvChanges) {
  const answer = await collect(aiterCollector, changes);
  return { answer, slot: answer.slots.local_aiter_jit };
}

describe('the kernel cache', () => {
  it('is counted by path component: buildx is not build', async () => {
    const aiter_jit_dir = tree([
      ['a.so', 'x', 10],
      ['b.so', 'x', 10],
      ['build/m/c.so', 'x', 5],
      ['buildx/d.so', 'x', 10],
      ['m/build/e.so', 'x', 10],
      ['build/m/x.o', 'x', 3],
    ]);
    expect((await look({ config: { aiter_jit_dir } })).slot).toEqual({
      jit_dir: aiter_jit_dir,
      so_count: 4,
      build_count: 1,
      lock_count: 0,
      oldest_lock_age_s: null,
      live_compilers: null,
      newest_mtime: NOW - 3,
    });
  });

  it('shows empty locks of both trees with their age; a lock with content has an owner', async () => {
    const aiter_jit_dir = tree([
      ['a.so', 'x', 900],
      ['build/m/lock', '', 400],
      ['build/n/lock', 'pid 5', 999],
    ]);
    const root = tree([
      ['build/k/.ninja_lock', '', 700],
      ['build/k/k.so', 'x', 20],
    ]);
    expect((await look({ config: { aiter_jit_dir }, env: { AITER_ROOT_DIR: root } })).slot).toMatchObject({
      so_count: 1,
      build_count: 0,
      lock_count: 2,
      oldest_lock_age_s: 700,
      newest_mtime: NOW - 20,
    });
  });

  it('looks for locks below the home directory otherwise', async () => {
    const aiter_jit_dir = tree([]);
    const home = tree([['.aiter/build/k/lock', '', 60]]);
    expect((await look({ config: { aiter_jit_dir }, env: { HOME: home } })).slot).toMatchObject({
      lock_count: 1,
    });
  });

  it('counts the compilers that work in a tree, not the others', async () => {
    const aiter_jit_dir = tree([['a.so', 'x', 1]]);
    const processes = [
      processFact(['/opt/rocm/bin/hipcc', '-c', `${aiter_jit_dir}/build/m/k.cu`]),
      processFact(['ninja', '-v'], { cwd: `${aiter_jit_dir}/build/m` }),
      processFact(['/opt/rocm/llvm/bin/clang++', `-I${aiter_jit_dir}/include`]),
      processFact(['python3', '/usr/bin/hipcc', '-o', 'build/m.so'], { cwd: aiter_jit_dir }),
      processFact(['ninja'], { cwd: aiter_jit_dir, state: 'Z' }),
      processFact(['ninja'], { cwd: '/elsewhere' }),
      processFact(['vim', `${aiter_jit_dir}/hipcc.txt`]),
      processFact(['hipcc', `${aiter_jit_dir}x/k.cu`]),
    ];
    const { slot } = await look({
      config: { aiter_jit_dir },
      facts: { processes: { scope: 'host', processes } },
    });
    expect(slot).toMatchObject({ live_compilers: 4 });
  });

  it('is found by the environment, or beside the Python of an owned server', async () => {
    const first = tree([]);
    const second = tree([]);
    const env = { INFERENCE_OPTIMIZER_AITER_JIT_DIR: `${first}/gone`, AITER_JIT_DIR: ` ${second} ` };
    expect((await look({ env })).slot).toMatchObject({ jit_dir: second });

    const prefix = tree([['lib/python3.12/site-packages/aiter/jit/a.so', 'x', 1]]);
    const server = (sessionOwned: boolean) => ({
      scope: 'host' as const,
      processes: [
        processFact([`${prefix}/bin/python3`, '-m', 'sglang.launch_server'], {
          isServer: true,
          sessionOwned,
        }),
      ],
    });
    expect((await look({ facts: { processes: server(true) } })).slot).toMatchObject({
      jit_dir: `${prefix}/lib/python3.12/site-packages/aiter/jit`,
      so_count: 1,
    });
    const { answer, slot } = await look({ facts: { processes: server(false) } });
    expect(answer.verdicts.aiter).toMatchObject({ status: 'empty', reason: 'missing' });
    expect(slot).toEqual({});
  });

  it('is scanned without following links, and not for ever', async () => {
    const root = tree([
      ['a/1.so', 'x', 1],
      ['a/2.so', 'x', 1],
      ['b/3.so', 'x', 1],
    ]);
    symlinkSync(root, join(root, 'loop'));
    const signal = new AbortController().signal;
    expect(await scanTree(root, signal)).toMatchObject({ soCount: 3, isTruncated: false });
    expect(await scanTree(root, signal, 4)).toMatchObject({ isTruncated: true });
    await expect(scanTree(root, AbortSignal.abort())).rejects.toThrow();
  });
});
