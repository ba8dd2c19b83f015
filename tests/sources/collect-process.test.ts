import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isObject, type JsonObject, objectOr } from '../../src/foreign/json.js';
import { SessionBuilder } from '../support/session-builder.js';

let directory: string;
let bundle: string;
let session: SessionBuilder;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'robustness-collect-'));
  bundle = join(directory, 'collect.cjs');
  await build({
    entryPoints: ['tests/sources/support/collect-entry.ts'],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    // As in the product's own bundles.
    define: { 'import.meta.url': '__filename' },
    packages: 'external',
    logLevel: 'error',
  });
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));
beforeEach(() => {
  session = new SessionBuilder();
});
afterEach(() => session.remove());

interface Outcome {
  readonly code: number | null;
  readonly ms: number;
  readonly snapshot: JsonObject;
  readonly warnings: unknown;
}

/** Runs the collection as a process and waits until it has really ended. */
async function collect(
  settings: JsonObject,
  env: Record<string, string> = {},
  script = bundle,
): Promise<Outcome> {
  const started = performance.now();
  const child = spawn(process.execPath, [script, session.dir, JSON.stringify(settings)], {
    env: { PATH: '/usr/bin:/bin', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const [code]: (number | null)[] = await once(child, 'close');
  const parsed: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  const result = isObject(parsed) ? parsed : {};
  return {
    code: code ?? null,
    ms: performance.now() - started,
    snapshot: objectOr(result['snapshot']),
    warnings: result['warnings'],
  };
}

/** The bundle where it finds the packages that it needs. */
function installed(): string {
  const path = resolve('node_modules/.cache', `collect-${process.pid}.cjs`);
  writeFileSync(path, readFileSync(bundle));
  return path;
}

const report = ({ snapshot }: Outcome, name: string) => objectOr(objectOr(snapshot['collectors'])[name]);

describe('a collection as a process', () => {
  it('goes on without the database binding, and says why the bus is not known', async () => {
    session.state({ tick: 3 });
    session.database().event({ topic: 'event' });
    const outcome = await collect({ ray_probe_enabled: false });
    expect(outcome.code).toBe(0);
    expect(report(outcome, 'events')).toMatchObject({
      status: 'unknown',
      detail: expect.stringContaining('better-sqlite3'),
    });
    expect(report(outcome, 'state')).toMatchObject({ status: 'ok' });
    expect(objectOr(outcome.snapshot['local_state_integrity'])['db']).toMatchObject({ status: 'unknown' });
    expect(outcome.warnings).toEqual([expect.stringContaining("the Coordinator's database is not read")]);
  });

  it('leaves neither a private copy nor a tool behind', async () => {
    const db = session.database();
    // Large enough to be copied to disk.
    db.event({ topic: 'event', payload: { blob: 'x'.repeat(5 * 2 ** 20) } });
    db.close();
    const temporary = mkdtempSync(join(directory, 'tmp-'));
    const bin = mkdtempSync(join(directory, 'bin-'));
    const pids = join(temporary, 'pids');
    const tool = `#!/bin/sh\ntrap '' TERM\necho $$ >>'${pids}'\n(trap '' TERM; sh -c 'echo $$ >>"${pids}"; exec sleep 60')\nsleep 60\n`;
    for (const name of ['rocm-smi', 'ray']) {
      writeFileSync(join(bin, name), tool);
      chmodSync(join(bin, name), 0o755);
    }
    const script = installed();
    const outcome = await collect(
      { sources_deadline_s: 1.5, auto_probe_inference_server: false },
      { PATH: `${bin}:/usr/bin:/bin`, TMPDIR: temporary },
      script,
    );
    rmSync(script);
    expect(outcome.code).toBe(0);
    expect(outcome.ms).toBeLessThan(8000);
    expect(report(outcome, 'events')).toMatchObject({ status: 'ok' });
    const started = readFileSync(pids, 'utf8').trim().split('\n').map(Number);
    expect(started.length).toBeGreaterThan(1);
    expect(await untilGone(started)).toBe(true);
    expect(readdirSync(temporary)).toEqual(['pids']);
  });
});

async function untilGone(pids: readonly number[]): Promise<boolean> {
  for (let i = 0; i < 100; i += 1) {
    if (!pids.some(isRunning)) return true;
    await delay(20);
  }
  return false;
}

function isRunning(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.startsWith('Z') === false;
  } catch {
    // Gone.
    return false;
  }
}
