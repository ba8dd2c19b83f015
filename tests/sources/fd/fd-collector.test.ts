import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { objectOr } from '../../../src/foreign/json.js';
import type { CoordinatorFact } from '../../../src/sources/facts.js';
import { softLimit } from '../../../src/sources/fd/collect-fd.js';
import { fdCollector } from '../../../src/sources/fd/fd-collector.js';
import { collect, collectorEnv } from '../support/collector-env.js';
import { temporaryDirectory, writeTree } from '../support/tree.js';

const LIMITS = `Limit                     Soft Limit           Hard Limit           Units
Max cpu time              unlimited            unlimited            seconds
Max open files            1024                 4096                 files
`;

function machine(pid: number, descriptors: number, limits = LIMITS): string {
  const root = writeTree(temporaryDirectory(), {
    [`proc/${pid}/fd/`]: '',
    [`proc/${pid}/limits`]: limits,
    'proc/sys/fs/file-nr': '5024\t0\t6553600\n',
  });
  for (let fd = 0; fd < descriptors; fd += 1) writeTree(root, { [`proc/${pid}/fd/${fd}`]: '' });
  return root;
}

const coordinator = (changes: Partial<CoordinatorFact>): CoordinatorFact => ({
  pid: 4242,
  alive: true,
  startedUnix: 1,
  hostname: '',
  otherHost: false,
  workspaceRoot: '/w',
  runLog: null,
  ...changes,
});

describe('file descriptors', () => {
  it('are counted against the soft limit', async () => {
    const answer = await collect(fdCollector, { root: machine(7, 6), config: { fd_probe_pid: 7 } });
    expect(answer.slots.local_fd).toEqual({
      pid: 7,
      used: 6,
      limit: 1024,
      used_pct: 0.59,
      target: 'configured',
      system_used: 5024,
      system_max: 6553600,
    });
  });

  it('are those of the living Coordinator, else of our parent', async () => {
    const root = machine(4242, 3);
    const living = await collect(fdCollector, { root, facts: { coordinator: coordinator({}) } });
    expect(living.slots.local_fd).toMatchObject({ pid: 4242, target: 'coordinator' });

    for (const changes of [{ alive: false }, { alive: null }, { pid: null }]) {
      const env = { ...collectorEnv({ facts: { coordinator: coordinator(changes) } }), procRoot: '/proc' };
      const answer = await fdCollector.collect(env, new AbortController().signal);
      expect(objectOr(answer.slots.local_fd)['pid']).toBe(process.ppid);
    }
  });

  it('of a real process are plausible', async () => {
    const env = { ...collectorEnv({ config: { fd_probe_pid: process.pid } }), procRoot: '/proc' };
    const slot = objectOr((await fdCollector.collect(env, new AbortController().signal)).slots.local_fd);
    expect(slot['used']).toBeGreaterThan(2);
    expect(Math.abs(Number(slot['used']) - readdirSync('/proc/self/fd').length)).toBeLessThan(20);
  });

  it('are unknown when they cannot be seen', async () => {
    const answer = await collect(fdCollector, { root: machine(7, 1), config: { fd_probe_pid: 8 } });
    expect(answer).toMatchObject({ verdicts: { fd: { status: 'unknown' } }, slots: { local_fd: {} } });
  });

  it.each([
    [LIMITS, 1024],
    ['Max open files            unlimited            unlimited            files', null],
    ['Max open files            0                    4096                 files', null],
    ['', null],
  ])('have the soft limit of %j', (limits, expected) => {
    expect(softLimit(limits)).toBe(expected);
  });
});
