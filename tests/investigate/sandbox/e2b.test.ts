import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Secret } from '../../../src/investigate/safety/redactor.js';
import type { BoxCommand, BoxRun, SandboxDriver } from '../../../src/investigate/sandbox/box.js';
import { SANDBOX_LIMITS } from '../../../src/investigate/sandbox/limits.js';
import { openE2b } from '../../../src/investigate/sandbox/remote/e2b.js';
import { SCENES } from '../evals/made/index.js';
import { play } from '../evals/made/play.js';
import { scripted } from '../loop/scripted-model.js';
import { reading } from './bwrap-support.js';
import { canFakeBoxes, type E2bService, serveE2b } from './e2b-service.js';

const KEY = 'e2b_canary0123456789';
const canRun = canFakeBoxes && reading.ok;
const why = canRun ? '' : ' (skipped: commands of a faked sandbox need root and bubblewrap)';

let service: E2bService;
let source: string;
let driver: SandboxDriver;

beforeEach(async () => {
  service = await serveE2b(KEY);
  source = realpathSync(mkdtempSync(join(tmpdir(), 'e2b-source-')));
  chmodSync(source, 0o700);
  mkdirSync(join(source, 'shop'));
  writeFileSync(join(source, 'shop/prices.py'), 'def total(items):\n    return items[0]\n');
  symlinkSync('prices.py', join(source, 'shop/link.py'));
  const opened = await openE2b({ apiKey: new Secret(KEY), connection: service.connection });
  if (!opened.ok) throw new Error(opened.reason);
  driver = opened.driver;
});
afterEach(async () => {
  await service.close();
  rmSync(source, { recursive: true, force: true });
});

function run(argv: readonly string[], parts: Partial<BoxCommand> = {}): Promise<BoxRun> {
  return driver.run({
    argv,
    files: {},
    source,
    wallMs: 30_000,
    signal: new AbortController().signal,
    ...parts,
  });
}
const python = (code: string, parts: Partial<BoxCommand> = {}): Promise<BoxRun> =>
  run(['python3', 'main.py'], { ...parts, files: { 'main.py': code } });

describe.skipIf(!canRun)(`a sandbox of E2B${why}`, () => {
  it('runs a command on the tree, and is gone afterwards', async () => {
    const result = await run(['cat', 'src/shop/prices.py', 'src/shop/link.py', 'note'], {
      files: { note: 'read me' },
    });
    expect(result).toEqual({
      ended: 'exit',
      exit: 0,
      stdout: `${'def total(items):\n    return items[0]\n'.repeat(2)}read me`,
      stderr: '',
    });
    expect(service.living.size).toBe(0);
  });

  it('is made with a short life and without internet', async () => {
    await run(['true']);
    expect(service.created).toMatchObject([{ timeout: 300, allow_internet_access: false }]);
  });

  it('gives a failing command as a result, although its package throws it', async () => {
    const result = await python(
      'import sys\nsys.path.insert(0, "/box/src")\nfrom shop.prices import total\ntotal([])\n',
    );
    expect(result).toMatchObject({ ended: 'exit', exit: 1 });
    expect(result.stderr).toContain('File "/box/src/shop/prices.py", line 2, in total');
    expect(result.stderr).toContain('IndexError');
    expect(service.living.size).toBe(0);
  });

  it('takes arguments as they are', async () => {
    const words = ['$(id)', "it's", 'a b', '; exit 3', '`x`', '\\', '"', '*'];
    expect((await run(['printf', '%s\n', ...words])).stdout).toBe(`${words.join('\n')}\n`);
  });

  it('lets a command change nothing that it is judged by', async () => {
    const tries = [
      'echo x > src/shop/prices.py',
      'rm -r src',
      'mv src other',
      'rm main.sh',
      'sudo -n true',
      'id -u; cat /proc/self/status | grep -E "NoNewPrivs|CapEff"',
    ];
    const { stdout } = await run(['sh', 'main.sh'], {
      files: { 'main.sh': `${tries.map((line) => `(${line}) 2>/dev/null && echo done`).join('\n')}\ntrue\n` },
    });
    expect(stdout.split('\n').filter((line) => line === 'done')).toHaveLength(1);
    expect(stdout).toMatch(/^65534\nCapEff:\t0+\nNoNewPrivs:\t1\n/);
    expect((await run(['cat', 'src/shop/prices.py'])).stdout).toContain('items[0]');
  });

  it('that cannot be ended has its result all the same', async () => {
    service.refuse = 'kill';
    expect(await run(['true'])).toMatchObject({ ended: 'exit', exit: 0 });
    expect(service.living.size).toBe(1);
  });

  it('has nothing of ours in its environment', async () => {
    const { stdout } = await run(['env']);
    expect(stdout.trim().split('\n').sort()).toEqual([
      'HOME=/box',
      'LANG=C.UTF-8',
      'PATH=/usr/local/bin:/usr/bin:/bin',
    ]);
  });

  it('keeps to the limits of every sandbox', async () => {
    const limits = { ...SANDBOX_LIMITS, cpuS: 1 };
    const opened = await openE2b({ apiKey: new Secret(KEY), connection: service.connection, limits });
    if (!opened.ok) throw new Error(opened.reason);
    driver = opened.driver;
    expect(await python('while True: pass')).toMatchObject({ ended: 'exit', exit: 137 });
    expect((await python('bytearray(2 * 1024 ** 3)')).stderr).toContain('MemoryError');
    const written = await python('open("x", "wb").write(b"x" * 64 * 1024 * 1024)');
    expect(written).toMatchObject({ ended: 'exit' });
    expect(written.exit).not.toBe(0);
  }, 60_000);

  it('ends by its wall time', async () => {
    const begun = performance.now();
    const result = await run(['sleep', '60'], { wallMs: 2500 });
    expect(result).toMatchObject({ ended: 'wall', exit: null });
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(service.living.size).toBe(0);
  });

  it('ends when nobody waits any more', async () => {
    const stop = new AbortController();
    const running = run(['sleep', '60'], { signal: stop.signal });
    setTimeout(() => stop.abort(), 1500);
    expect(await running).toMatchObject({ ended: 'aborted', exit: null });
    expect(service.living.size).toBe(0);
  });

  it('ends when it says too much', async () => {
    const result = await run(['sh', '-c', 'yes'], {});
    expect(result.ended).toBe('output');
    expect(result.stdout.length).toBeLessThanOrEqual(SANDBOX_LIMITS.outputBytes);
    expect(service.living.size).toBe(0);
  });

  it('that comes into being too late is ended all the same', async () => {
    service.delayMs = 1500;
    expect(await run(['true'], { wallMs: 300 })).toMatchObject({ ended: 'wall' });
    expect(service.living.size).toBe(1);
    await expect.poll(() => service.living.size, { timeout: 10_000 }).toBe(0);
  });

  it('sends the key to the service alone, never into the sandbox', async () => {
    await python('print(1)');
    const inside = service.seen.filter(
      (text) => text.includes('/files') || text.includes('/process.Process'),
    );
    expect(inside.length).toBeGreaterThanOrEqual(3);
    expect(inside.join()).not.toContain(KEY);
    expect(inside.join()).not.toContain(Buffer.from(KEY).toString('base64'));
  });
});

describe.skipIf(!canRun)(`a reproduction in a sandbox of E2B${why}`, () => {
  const scene = SCENES.find(({ name }) => name === 'log, source line and a reproduction');
  const twin = SCENES.find(({ name }) => name === 'a control that fails as well');

  it('is verified as one in bubblewrap is, and counts as much', async () => {
    if (scene === undefined || twin === undefined) throw new Error('no scene');
    const result = await play(scene, { model: scripted(scene.script), driver });
    expect(result).toMatchObject({
      action_taken: 'sandbox_enriched',
      root_cause: { confidence: 0.95, confidence_level: 'high' },
    });
    const failing = await play(twin, { model: scripted(twin.script), driver });
    expect(failing.root_cause.confidence_level).toBe('low');
    expect(service.living.size).toBe(0);
  }, 60_000);
});

describe('a process that ends', () => {
  it('ends the sandboxes that it still has, and no other', async () => {
    const bundle = join(source, 'sweep.cjs');
    const entry = 'src/investigate/sandbox/remote/sweep.ts';
    await build({ entryPoints: [entry], outfile: bundle, bundle: true, platform: 'node', format: 'cjs' });
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      const made = await fetch(`${service.connection.apiUrl}/v2/sandboxes`, {
        method: 'POST',
        headers: { 'x-api-key': KEY },
        body: '{}',
      });
      ids.push(JSON.parse(await made.text()).sandboxID);
    }
    const boxes = ids.map((id) => ({ apiUrl: service.connection.apiUrl, key: KEY, id }));
    const program = `
      const { watchBox, forgetBox } = require(${JSON.stringify(bundle)});
      const boxes = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
      for (const box of boxes) watchBox(box);
      forgetBox(boxes[0]);
      setInterval(() => undefined, 1000);
      process.exit(7);`;
    const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'ignore', 'inherit'] });
    child.stdin?.end(JSON.stringify(boxes));
    const [code] = await once(child, 'close');
    expect(code).toBe(7);
    expect([...service.living]).toEqual([ids[0]]);
  });
});

describe('E2B that does not work', () => {
  it('is a run that failed', async () => {
    service.refuse = 'create';
    expect(await run(['true'])).toMatchObject({
      ended: 'failed',
      problem: expect.stringMatching(/^E2B: .*no room/),
    });
    const opened = await openE2b({ apiKey: new Secret('e2b_wrong0123456'), connection: service.connection });
    if (!opened.ok) throw new Error(opened.reason);
    service.refuse = null;
    const refused = await opened.driver.run({
      argv: ['true'],
      files: {},
      source: null,
      wallMs: 5000,
      signal: new AbortController().signal,
    });
    expect(refused).toMatchObject({ ended: 'failed' });
    expect(JSON.stringify(refused)).not.toContain('e2b_wrong');
  });

  it.each([
    [{ '../x': '' }, 30_000, 'failed'],
    [{ src: '' }, 30_000, 'failed'],
    [{}, 0, 'wall'],
  ] as const)('is not asked for %j within %i ms', async (files, wallMs, ended) => {
    expect(await run(['true'], { files, wallMs })).toMatchObject({ ended });
    expect(service.created).toEqual([]);
  });

  it('is not asked with a tree that cannot be sent', async () => {
    expect(await run(['true'], { source: join(source, 'missing') })).toMatchObject({
      ended: 'failed',
      problem: expect.stringContaining('the source tree cannot be sent'),
    });
    expect(service.created).toEqual([]);
  });
});
