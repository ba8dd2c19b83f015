import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/foreign/json.js';
import { objectsOf } from '../../../src/foreign/json.js';
import { healthCollector } from '../../../src/sources/health/health-collector.js';
import { collectorEnv, type EnvChanges, NOW } from '../support/collector-env.js';
import { closedPort, statusServer, tcpServer } from '../support/servers.js';
import { temporaryDirectory, writeTree } from '../support/tree.js';

async function look(changes: EnvChanges & { procRoot?: string } = {}) {
  const { procRoot, ...rest } = changes;
  const env = collectorEnv(rest);
  const answer = await healthCollector.collect(
    procRoot === undefined ? env : { ...env, procRoot },
    new AbortController().signal,
  );
  return { answer, entries: objectsOf(answer.slots.local_server_health), memory: answer.memory ?? {} };
}

function configured(...urls: string[]): Pick<EnvChanges, 'config'> {
  return { config: { health_probe_targets: urls, health_probe_timeout_s: 0.3 } };
}

describe('health', () => {
  it('is empty without targets', async () => {
    const { answer, entries } = await look();
    expect(answer.verdicts.health?.status).toBe('empty');
    expect(entries).toEqual([]);
  });

  it.each([
    [200, true, 'ok'],
    [302, true, 'ok'],
    [401, true, 'http_error'],
    [404, true, 'http_error'],
    [500, false, 'http_error'],
    [503, false, 'http_error'],
  ])('reports status %i as reachable %s, %s', async (status, reachable, name) => {
    const { url } = await statusServer(status);
    const { entries } = await look(configured(url));
    expect(entries).toMatchObject([
      { url, reachable, status: name, status_code: status, source: 'configured', pid: null },
    ]);
    expect(entries[0]).not.toHaveProperty('error');
  });

  it('asks all at once: a silent endpoint costs its own time only', async () => {
    const silent = await tcpServer(() => undefined);
    const second = await tcpServer(() => undefined);
    const good = await statusServer(200);
    const started = performance.now();
    const { entries } = await look(configured(silent.url, second.url, good.url));
    expect(performance.now() - started).toBeLessThan(900);
    expect(entries.map((entry) => entry['error'])).toEqual(['timeout', 'timeout', undefined]);
    expect(entries[0]).toMatchObject({
      reachable: false,
      status: 'error',
      failure: 'timeout',
      phase: 'headers',
    });
    expect(entries[0]).not.toHaveProperty('status_code');
  });

  it('reports malformed targets as entries and leaves remote ones alone', async () => {
    const { answer, entries } = await look(
      configured('ftp://x', 'http://127.0.0.1:99999/', 'http://192.0.2.1/health'),
    );
    expect(entries.map((entry) => entry['failure'])).toEqual(['invalid_url', 'invalid_url']);
    expect(answer.verdicts.health?.detail).toContain('1 not asked');
  });

  it('does not show credentials of a URL', async () => {
    const { port } = await statusServer(200);
    const { entries } = await look(configured(`http://user:pass@127.0.0.1:${port}/health?token=abc`));
    expect(entries[0]?.['url']).not.toMatch(/pass|abc/);
  });

  it('goes on asking a server that is gone while a client of ours does', async () => {
    const port = await closedPort();
    const url = `http://127.0.0.1:${port}/health`;
    const streak = {
      fail_streak: 0,
      last_ok_unix: NOW - 60,
      first_seen_unix: NOW - 900,
      pid: 41,
      seen_unix: NOW - 60,
    };
    const client = {
      pid: 42,
      ppid: 1,
      uid: 0,
      state: 'S',
      startUnix: NOW - 300,
      argv: ['python3', 'benchmark_serving.py', '--port', String(port)],
      cwd: '/s',
      isServer: false,
      matched: true,
      sessionOwned: true,
      otherSession: null,
      port: null,
      host: null,
    };
    const facts = { processes: { scope: 'host' as const, processes: [client] } };
    const { entries } = await look({ facts, memory: { health: { [url]: streak } } });
    expect(entries).toMatchObject([
      { url, reachable: false, failure: 'refused', source: 'client', fail_streak: 1, last_ok_unix: NOW - 60 },
    ]);
    const alone = { processes: { scope: 'host' as const, processes: [] } };
    expect((await look({ facts: alone, memory: { health: { [url]: streak } } })).entries).toEqual([]);
    const never = { ...streak, last_ok_unix: null };
    expect((await look({ facts, memory: { health: { [url]: never } } })).entries).toEqual([]);
  });

  it('counts failures in a row and remembers the last success', async () => {
    const port = await closedPort();
    const url = `http://127.0.0.1:${port}/health`;
    const first = await look({ ...configured(url), nowUnix: NOW });
    expect(first.entries[0]).toMatchObject({
      fail_streak: 1,
      last_ok_unix: null,
      first_seen_unix: NOW,
      failure: 'refused',
    });
    const second = await look({ ...configured(url), nowUnix: NOW + 30, memory: first.memory });
    expect(second.entries[0]).toMatchObject({ fail_streak: 2, last_ok_unix: null, first_seen_unix: NOW });

    const up = await statusServer(200);
    const ok = await look({ ...configured(up.url), nowUnix: NOW });
    expect(ok.entries[0]).toMatchObject({ fail_streak: 0, last_ok_unix: NOW });
  });

  it('ignores a memory that makes no sense', async () => {
    const port = await closedPort();
    const url = `http://127.0.0.1:${port}/health`;
    const bad: JsonObject[] = [
      { fail_streak: -4, first_seen_unix: 1, seen_unix: 1 },
      { fail_streak: 'x' },
      { fail_streak: 9, first_seen_unix: NOW + 999, seen_unix: NOW },
    ];
    for (const stored of bad) {
      const { entries } = await look({ ...configured(url), memory: { health: { [url]: stored } } });
      expect(entries[0]).toMatchObject({ fail_streak: 1, first_seen_unix: NOW });
    }
  });

  describe('with a pid file', () => {
    const session = (port: number, pid: number) =>
      writeTree(temporaryDirectory(), {
        [`runs/explore/t1/variant_00_a/sglang_${port}.pid`]: `${pid} ${pid}\n`,
      });

    it('asks the server that is recorded and alive', async () => {
      const { port, url } = await statusServer(200);
      const { entries } = await look({ sessionDir: session(port, process.pid), procRoot: '/proc' });
      expect(entries).toMatchObject([{ url, source: 'pidfile', pid: process.pid, reachable: true }]);
    });

    it('asks nobody when the process is dead, reused, or none', async () => {
      const { port } = await statusServer(200);
      const reused = session(port, process.pid);
      utimesSync(join(reused, `runs/explore/t1/variant_00_a/sglang_${port}.pid`), 1000, 1000);
      for (const sessionDir of [session(port, 4_194_303), session(port, 0), reused]) {
        expect((await look({ sessionDir, procRoot: '/proc' })).entries).toEqual([]);
      }
    });

    it('begins anew when another process stands behind the URL', async () => {
      const port = await closedPort();
      const url = `http://127.0.0.1:${port}/health`;
      const stored = {
        fail_streak: 7,
        last_ok_unix: NOW - 60,
        first_seen_unix: NOW - 600,
        seen_unix: NOW - 30,
      };
      const entries = async (pid: number) => {
        const memory = { health: { [url]: { ...stored, pid } } };
        return (await look({ sessionDir: session(port, process.pid), procRoot: '/proc', memory })).entries;
      };
      expect((await entries(process.pid))[0]).toMatchObject({ fail_streak: 8, first_seen_unix: NOW - 600 });
      expect((await entries(1))[0]).toMatchObject({
        fail_streak: 1,
        last_ok_unix: null,
        first_seen_unix: NOW,
      });
    });
  });
});
