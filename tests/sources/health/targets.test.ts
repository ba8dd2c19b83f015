import { describe, expect, it } from 'vitest';
import type { ProcessFact } from '../../../src/sources/facts.js';
import { portsIn } from '../../../src/sources/health/listening.js';
import { healthTargets, type TargetInput } from '../../../src/sources/health/targets.js';

const DEFAULT_URL = 'http://127.0.0.1:8888/health';

function server(changes: Partial<ProcessFact>): ProcessFact {
  return {
    pid: 100,
    ppid: 1,
    uid: 0,
    state: 'S',
    startUnix: 1,
    argv: ['python3', '-m', 'sglang.launch_server'],
    cwd: '/s',
    isServer: true,
    matched: true,
    sessionOwned: true,
    otherSession: null,
    port: null,
    host: null,
    ...changes,
  };
}

function targets(input: Partial<TargetInput>) {
  return healthTargets({
    configured: [],
    auto: true,
    defaultUrl: DEFAULT_URL,
    processes: [],
    pidFiles: [],
    remembered: [],
    listening: () => new Set<number>(),
    addresses: () => new Set(['127.0.0.1', '10.0.0.7', 'fd00::7']),
    ...input,
  });
}

describe('whom to ask', () => {
  it('does not ask the kernel who listens where a server names its port', () => {
    const listening = () => {
      throw new Error('nobody needs to know');
    };
    expect(targets({ processes: [server({ port: 31777 })], listening })).toHaveLength(1);
  });

  it('is nobody in a phase without servers', () => {
    expect(targets({})).toEqual([]);
    expect(targets({ listening: () => null })).toEqual([]);
  });

  it('is the owned server on the port that it was told', () => {
    expect(targets({ processes: [server({ port: 31777 })], listening: () => new Set([8888]) })).toEqual([
      { url: 'http://127.0.0.1:31777/health', source: 'process', pid: 100 },
    ]);
  });

  it('is never the server of somebody else, or one whose owner is unknown', () => {
    const processes = [
      server({ pid: 1, port: 8000, sessionOwned: false }),
      server({ pid: 2, port: 8001, sessionOwned: null }),
    ];
    expect(targets({ processes })).toEqual([]);
  });

  describe('when a server is gone', () => {
    const remembered = ['http://127.0.0.1:31777/health', 'http://127.0.0.1:8000/health'];
    const client = (...argv: string[]) =>
      server({ pid: 7, isServer: false, argv: ['python3', 'benchmark_serving.py', ...argv] });

    it.each([
      [['--port', '31777']],
      [['--port=31777']],
      [['--base-url', 'http://localhost:31777/v1']],
      [['--host', '127.0.0.1:31777']],
      [['--server-port', '31777', '--out', '/s/r']],
    ])('is still the port that a client of ours names: %j', (argv) => {
      expect(targets({ remembered, processes: [client(...argv)] })).toEqual([
        { url: remembered[0], source: 'client', pid: null },
      ]);
    });

    it.each([
      ['no client is there', []],
      ['the client asks another port', [client('--port', '31778')]],
      ['a longer number begins alike', [client('--port', '317770')]],
      ['the number is no port', [client('--num-prompts', '31777')]],
      ['the client is somebody else’s', [{ ...client('--port', '31777'), sessionOwned: false }]],
      ['nobody knows whose the client is', [{ ...client('--port', '31777'), sessionOwned: null }]],
      ['it is no client that we know', [{ ...client('--port', '31777'), matched: false }]],
    ])('is nobody where %s', (_why, processes) => {
      expect(targets({ remembered, processes })).toEqual([]);
    });

    it('is asked once when a new server has the port', () => {
      const processes = [server({ port: 31777 }), client('--port', '31777')];
      expect(targets({ remembered, processes })).toEqual([
        { url: remembered[0], source: 'process', pid: 100 },
      ]);
    });

    it('is nobody unless servers are looked for', () => {
      expect(targets({ remembered, auto: false, processes: [client('--port', '31777')] })).toEqual([]);
    });
  });

  it('is one per process tree: the topmost with a port', () => {
    const processes = [
      server({ pid: 10, ppid: 1, port: 30000 }),
      server({ pid: 11, ppid: 10, port: 30001 }),
      server({ pid: 12, ppid: 11 }),
    ];
    expect(targets({ processes }).map((target) => target.pid)).toEqual([10]);
  });

  it('is the child when only that one names a port', () => {
    const processes = [server({ pid: 10 }), server({ pid: 11, ppid: 10, port: 30001 })];
    expect(targets({ processes, listening: () => new Set([30000]) }).map((target) => target.pid)).toEqual([
      11,
    ]);
  });

  it('survives a cycle of parents', () => {
    const processes = [server({ pid: 10, ppid: 11, port: 1 }), server({ pid: 11, ppid: 10, port: 2 })];
    expect(targets({ processes })).toEqual([]);
  });

  it.each([
    [['python3', '-m', 'sglang.launch_server'], 30000],
    [['python3', '/opt/venv/bin/vllm', 'serve', 'm'], 8000],
    [['harness'], 8888],
  ])('is the default port of %j, if something listens there', (argv, port) => {
    const processes = [server({ argv })];
    expect(targets({ processes, listening: () => new Set([port]) })[0]).toMatchObject({
      url: `http://127.0.0.1:${port}/health`,
      source: 'process',
    });
  });

  it('is the default URL only when nobody names a port', () => {
    const pidFiles = [{ path: '/s/runs/x/sglang_31000.pid', framework: 'sglang', port: 31000, pid: 7 }];
    expect(targets({ listening: () => new Set([8888]) }).map((target) => target.source)).toEqual(['default']);
    expect(targets({ processes: [server({})] }).map((target) => target.source)).toEqual(['default']);
    expect(targets({ listening: () => new Set([8888]), pidFiles })).toEqual([
      { url: 'http://127.0.0.1:31000/health', source: 'pidfile', pid: 7 },
    ]);
    expect(targets({ listening: () => new Set([8888]), defaultUrl: '' })).toEqual([]);
  });

  it('is another address only if that is one of this machine', () => {
    const url = (host: string) => targets({ processes: [server({ port: 5, host })] })[0]?.url;
    expect(url('0.0.0.0')).toBe('http://127.0.0.1:5/health');
    expect(url('10.0.0.7')).toBe('http://10.0.0.7:5/health');
    expect(url('fd00::7')).toBe('http://[fd00::7]:5/health');
    expect(url('::1')).toBe('http://[::1]:5/health');
    expect(url('203.0.113.9')).toBe('http://127.0.0.1:5/health');
    expect(url('evil.example@127.0.0.1')).toBe('http://127.0.0.1:5/health');
  });

  it('begins with what is configured, without repetition, and ends at sixteen', () => {
    const configured = ['http://127.0.0.1:31777/health', 'http://127.0.0.1:31777/health'];
    expect(targets({ configured, processes: [server({ port: 31777 })] })).toEqual([
      { url: 'http://127.0.0.1:31777/health', source: 'configured', pid: null },
    ]);
    const many = Array.from({ length: 40 }, (_, index) => server({ pid: 100 + index, port: 2000 + index }));
    expect(targets({ processes: many })).toHaveLength(16);
    expect(targets({ configured, auto: false, processes: many })).toHaveLength(1);
  });
});

describe('listening ports', () => {
  it('are the rows in state 0A of either family', () => {
    const table = [
      '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
      '   0: 0100007F:22B8 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0',
      '   1: 0100007F:C0DE 0100007F:22B8 01 00000000:00000000 00:00000000 00000000     0        0 1 1 0',
      '   2: 00000000000000000000000000000000:7530 00000000000000000000000000000000:0000 0A 00000000:00000000',
      'garbage',
    ].join('\n');
    expect(portsIn(table)).toEqual([8888, 30000]);
  });
});
