import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { mountObstacle, stoppableMount } from '../sources/support/hung-mount.js';
import { tcpServer } from '../sources/support/servers.js';
import { StandIns } from '../sources/support/stand-in.js';
import { runCli } from '../support/cli.js';
import { CoordinatorDb } from '../support/coordinator-db.js';
import { tempDir } from '../support/temp-dir.js';
import { requestFiles } from '../support/tick-request.js';

/** What the host allows a turn before it kills it (spec 01 §1.2). */
const HOST_LIMIT_MS = 30_000;

const obstacle = mountObstacle();
if (obstacle !== null) console.warn(`SKIPPED: no hung file system in this test: ${obstacle}`);

/** Processes whose command line mentions a text. */
function processesWith(text: string): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      return /^\d+$/.test(pid) && command.includes(text) && Number(pid) !== process.pid ? [command] : [];
    } catch {
      // It has ended meanwhile.
      return [];
    }
  });
}

describe('a machine on which everything hangs', () => {
  it('is answered in time, with what hung named as unknown and nothing of ours left running', async () => {
    const sessionDir = tempDir();
    const tools = new StandIns();
    const stubborn = 'trap "" TERM INT HUP; sleep 6211 & sleep 6212 & wait; wait; sleep 6213';
    for (const name of ['amd-smi', 'rocm-smi', 'nvidia-smi', 'ray', 'dmesg']) tools.add(name, stubborn);
    const silent = await tcpServer(() => undefined);
    const writer = new CoordinatorDb(join(sessionDir, 'storage/coordinator.db'), 'DELETE').db;
    writer.exec('BEGIN EXCLUSIVE');
    onTestFinished(() => void writer.close());
    mkdirSync(join(sessionDir, 'runs/baseline/b1'), { recursive: true });
    execFileSync('mkfifo', [join(sessionDir, 'runs/baseline/b1/server.log')]);
    const mount = obstacle === null ? await stoppableMount() : undefined;
    mount?.stop();

    const { request, out } = requestFiles(sessionDir, {
      sessionDir,
      options: {
        disable_local_probe: false,
        external_deps_enabled: true,
        health_probe_targets: [silent.url],
        ray_probe_timeout_s: 3,
      },
    });
    const startedAt = performance.now();
    const run = await runCli(['tick', '--request', request, '--out', out], {
      env: { PATH: tools.path, ...(mount && { TRACELENS_ROOT: mount.path }) },
    });
    const ms = performance.now() - startedAt;

    expect(run.code).toBe(0);
    expect(ms).toBeLessThan(HOST_LIMIT_MS);
    const emit = JSON.parse(readFileSync(out, 'utf8'));
    expect(emit.intent_envelope.intents[0]).toMatchObject({
      intent_type: 'alert',
      payload: { severity: 'high' },
    });
    const warnings = emit.parse_warnings.join('\n');
    for (const name of ['gpu', 'ray', 'events', ...(mount ? ['mounts'] : [])])
      expect(warnings).toContain(name);
    expect(warnings).not.toMatch(/collector (state|disk|manifest)/);
    await vi.waitFor(() => expect(processesWith('sleep 621')).toEqual([]), 5000);
    expect(processesWith(tools.directory)).toEqual([]);
  });
});
