import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/foreign/json.js';
import { rayCollector } from '../../../src/sources/ray/ray-collector.js';
import { classifyRayFailure } from '../../../src/sources/ray/ray-failure.js';
import { parseRayStatus } from '../../../src/sources/ray/ray-status.js';
import { collect, type EnvChanges, NOW } from '../support/collector-env.js';
import { fixture } from '../support/fixture.js';
import { StandIns } from '../support/stand-in.js';

describe('ray status', () => {
  it('counts tasks and actors apart from placement groups', () => {
    expect(parseRayStatus(fixture('ray/status-2.9.txt'))).toEqual({
      pendingTasks: 12,
      pendingPlacementGroups: 1,
    });
  });

  it('counts in the sections about demands only', () => {
    expect(parseRayStatus(fixture('ray/status-2.40.txt'))).toEqual({
      pendingTasks: 0,
      pendingPlacementGroups: 0,
    });
  });

  it('does not take digits inside a node hash for a number of tasks', () => {
    const output = 'Resources\nDemands:\n node_ab12 pending tasks\n : 3 pending actors\n';
    expect(parseRayStatus(output)).toEqual({ pendingTasks: 3, pendingPlacementGroups: 0 });
  });

  it('does not recognise other text', () => {
    expect(parseRayStatus('hello\n')).toBeUndefined();
    expect(parseRayStatus('')).toBeUndefined();
  });

  it('adds up whatever is listed', () => {
    const demand = fc.record({ count: fc.nat(1000), atLeast: fc.boolean(), group: fc.boolean() });
    fc.assert(
      fc.property(fc.array(demand), (demands) => {
        const lines = demands.map(
          ({ count, atLeast, group }) =>
            ` {'GPU': 1.0}: ${count}${atLeast ? '+' : ''} pending ${group ? 'placement groups' : 'tasks/actors'}`,
        );
        const sum = (group: boolean) =>
          demands.filter((each) => each.group === group).reduce((total, each) => total + each.count, 0);
        expect(parseRayStatus(['Resources', '', 'Total Demands:', ...lines].join('\n'))).toEqual({
          pendingTasks: sum(false),
          pendingPlacementGroups: sum(true),
        });
      }),
    );
  });
});

describe('a failed ray command', () => {
  it.each([
    ['ray/head-down.txt', 'head_down'],
    ['ray/broken-cli.txt', 'broken_cli'],
    ['ray/chained.txt', 'head_down'],
  ])('%s is judged %s by its last traceback line', (name, kind) => {
    expect(classifyRayFailure(fixture(name)).kind).toBe(kind);
  });

  it.each([
    ['Ray cluster is not found at 10.0.0.1:6379', 'head_down'],
    ['ValueError: bad port', 'broken_cli'],
    ['Traceback (most recent call last):\nray.exceptions.RpcError: deadline exceeded', 'no_answer'],
    [
      'Traceback (most recent call last):\n  File "x.py"\ngrpc.RpcError: <call that ended with:\n  code = UNAVAILABLE\n  details = "connection refused"\n>',
      'head_down',
    ],
    [
      'Traceback (most recent call last):\nValueError: bad port\nhint: is the connection refused?',
      'broken_cli',
    ],
    ['connection refused\nTraceback (most recent call last):\nKeyError: 3', 'unknown'],
    ['boom', 'unknown'],
    ['', 'unknown'],
  ])('%j is %s', (stderr, kind) => {
    expect(classifyRayFailure(stderr).kind).toBe(kind);
  });
});

describe('the ray collector', () => {
  const look = (tools: StandIns, changes: EnvChanges = {}) =>
    collect(rayCollector, { ...changes, env: { PATH: tools.path, ...changes.env } });
  const headDown = () => {
    const tools = new StandIns();
    tools.prints('trace', fixture('ray/head-down.txt'));
    return tools.add('ray', `cat "${tools.directory}/trace.out" >&2; exit 1`);
  };
  const healthy = { ray: { seen_healthy_unix: NOW - 60, timeout_streak: 0 } };

  it('knows nothing where Ray is not installed', async () => {
    const answer = await look(new StandIns());
    expect(answer).toMatchObject({
      verdicts: { ray: { status: 'unknown', reason: 'not_on_path' } },
      slots: { local_ray: {} },
    });
  });

  it('reports a healthy cluster and remembers it', async () => {
    const answer = await look(new StandIns().prints('ray', fixture('ray/status-2.9.txt')));
    expect(answer.slots.local_ray).toEqual({
      healthy: true,
      stdout_head: '======== Autoscaler status: 2031-03-04 10:11:12.123456 ========',
      pending_tasks: 12,
      pending_placement_groups: 1,
      returncode: 0,
    });
    expect(answer.memory?.['ray']).toMatchObject({ seen_healthy_unix: NOW, timeout_streak: 0 });
  });

  it('finds the dead head of a cluster that was healthy, or is named', async () => {
    const expected = { healthy: false, returncode: 1, stderr: expect.stringContaining('Traceback') };
    expect((await look(headDown(), { memory: healthy })).slots.local_ray).toMatchObject(expected);
    expect((await look(headDown(), { env: { RAY_ADDRESS: '10.0.0.1:6379' } })).slots.local_ray).toMatchObject(
      expected,
    );
  });

  it('does not miss a cluster that nobody has started', async () => {
    const answer = await look(headDown());
    expect(answer).toMatchObject({ verdicts: { ray: { status: 'empty' } }, slots: { local_ray: {} } });
  });

  it('expects one whose daemon belongs to the session, not one of a neighbour', async () => {
    const daemon = (sessionOwned: boolean | null) => ({
      scope: 'host' as const,
      processes: [
        {
          pid: 5,
          ppid: 1,
          uid: 0,
          state: 'S',
          startUnix: 1,
          argv: ['/opt/ray/core/src/ray/gcs/gcs_server', '--port=6379'],
          cwd: '/',
          isServer: false,
          matched: true,
          sessionOwned,
          otherSession: null,
          port: null,
          host: null,
        },
      ],
    });
    const ours = await look(headDown(), { facts: { processes: daemon(true) } });
    expect(ours.slots.local_ray).toMatchObject({ healthy: false });
    expect((await look(headDown(), { facts: { processes: daemon(false) } })).slots.local_ray).toEqual({});
    expect((await look(headDown(), { facts: { processes: daemon(null) } })).slots.local_ray).toEqual({});
    expect((await look(headDown(), { memory: ours.memory ?? {} })).slots.local_ray).toMatchObject({
      healthy: false,
    });
  });

  it('takes a broken command line for ignorance', async () => {
    const tools = new StandIns();
    tools
      .prints('trace', fixture('ray/broken-cli.txt'))
      .add('ray', `cat "${tools.directory}/trace.out" >&2; exit 1`);
    expect(await look(tools, { memory: healthy })).toMatchObject({
      verdicts: {
        ray: { status: 'unknown', reason: 'exit_nonzero', detail: expect.stringContaining('click') },
      },
      slots: { local_ray: {} },
    });
  });

  it('takes odd output with exit 0 for ignorance', async () => {
    const answer = await look(new StandIns().prints('ray', 'maintenance\n'), { memory: healthy });
    expect(answer).toMatchObject({
      verdicts: { ray: { status: 'unknown', reason: 'bad_output' } },
      slots: { local_ray: {} },
    });
  });

  it('calls a silent cluster unhealthy at the third time limit in a row, or the second after health', async () => {
    const tools = new StandIns().add('ray', 'sleep 60');
    const config = { ray_probe_timeout_s: 0.1 };
    const slotsAfter = async (ray: JsonObject) => await look(tools, { config, memory: { ray } });
    const first = await slotsAfter({});
    expect(first).toMatchObject({ verdicts: { ray: { status: 'timeout' } }, slots: { local_ray: {} } });
    expect(first.memory?.['ray']).toMatchObject({ timeout_streak: 1 });
    const unhealthy = {
      healthy: false,
      reason: 'ray status gave no answer within 0.1 s',
      stderr: '',
      returncode: null,
    };
    expect((await slotsAfter({ timeout_streak: 1, seen_healthy_unix: NOW - 9 })).slots.local_ray).toEqual(
      unhealthy,
    );
    expect((await slotsAfter({ timeout_streak: 1, seen_daemon_unix: NOW - 9 })).slots.local_ray).toEqual({});
    expect((await slotsAfter({ timeout_streak: 2, seen_daemon_unix: NOW - 9 })).slots.local_ray).toEqual(
      unhealthy,
    );
    expect((await slotsAfter({ timeout_streak: 7 })).slots.local_ray).toEqual({});
  });

  it('takes a command that lost its own patience as one that gave no answer', async () => {
    const tools = new StandIns().add('ray', `echo 'RpcError: the call timed out' >&2; exit 1`);
    const slotsAfter = async (ray: JsonObject) => await look(tools, { memory: { ray } });
    const first = await slotsAfter({ seen_healthy_unix: NOW - 9 });
    expect(first).toMatchObject({ verdicts: { ray: { status: 'timeout' } }, slots: { local_ray: {} } });
    const second = await slotsAfter({ timeout_streak: 1, seen_healthy_unix: NOW - 9 });
    expect(second.slots.local_ray).toMatchObject({
      healthy: false,
      reason: 'ray status exited with code 1: it got no answer',
      stderr: 'RpcError: the call timed out',
      returncode: 1,
    });
  });

  it('does not show secrets of the error output', async () => {
    const tools = new StandIns().add(
      'ray',
      `echo 'ConnectionError: http://u:hunter2@10.0.0.1 refused' >&2; exit 1`,
    );
    const answer = await look(tools, { memory: healthy });
    expect(JSON.stringify(answer)).not.toContain('hunter2');
  });

  it('survives bytes that are no UTF-8 and a file that is no program', async () => {
    const bytes = new StandIns().add('ray', `printf '\\377\\376 Resources\\nResources\\n'`);
    expect((await look(bytes)).slots.local_ray).toMatchObject({ healthy: true, pending_tasks: 0 });
    expect((await look(new StandIns().brokenFormat('ray'))).verdicts.ray?.status).toBe('unknown');
  });
});
