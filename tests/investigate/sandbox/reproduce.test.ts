import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createRedactor } from '../../../src/investigate/safety/redactor.js';
import { type Reproducing, reproduceInSandbox } from '../../../src/investigate/sandbox/reproduce-tool.js';
import { localSource } from '../../../src/investigate/sandbox/source.js';
import { openSourceRoots } from '../../../src/investigate/tools/session/source-slice.js';
import type { ToolOutcome } from '../../../src/investigate/tools/tool.js';
import { type Scripted, scripted, type Turn } from '../loop/scripted-model.js';
import { cannotRun, reading } from './bwrap-support.js';

const CANARY = 'ghp_canary0123456789canary0123456789';
const PRICES = `def total(items):
    # the first price decides the currency
    currency = items[0]["currency"]
    return sum(item["price"] for item in items), currency
`;
const FAULT = 'import sys\nsys.path.insert(0, "/box/src")\nfrom shop.prices import total\ntotal([])\n';
const CALM =
  'import sys\nsys.path.insert(0, "/box/src")\nfrom shop.prices import total\ntotal([{"price": 1, "currency": "EUR"}])\n';
const EXPECT = { exit: 'nonzero', stderr_contains: 'list index out of range' };

const write = (name: string, content: string): Turn => ({ call: 'write_file', args: { name, content } });
const finish = (parts: Record<string, string | number | object> = {}): Turn => ({
  call: 'finish',
  args: JSON.stringify({
    script: 'repro.py',
    control_script: 'control.py',
    expect: EXPECT,
    explanation: 'x',
    ...parts,
  }),
});

/** Scripted arguments that are JSON text, as an object. */
function parsed(turn: Turn): Turn {
  return typeof turn === 'object' && 'call' in turn && typeof turn.args === 'string'
    ? { call: turn.call, args: JSON.parse(turn.args) }
    : turn;
}

describe.skipIf(!reading.ok)(`reproduce_in_sandbox${cannotRun}`, () => {
  let root: string;
  let scratch: string;
  let opened: Reproducing[];

  beforeEach(() => {
    opened = [];
    scratch = mkdtempSync(join(tmpdir(), 'reproduce-trees-'));
    chmodSync(scratch, 0o755);
    root = realpathSync(mkdtempSync(join(tmpdir(), 'reproduce-test-')));
    mkdirSync(join(root, 'shop'));
    writeFileSync(join(root, 'shop/__init__.py'), '');
    writeFileSync(join(root, 'shop/prices.py'), PRICES, { mode: 0o600 });
    writeFileSync(join(root, 'shop/rates.cs'), 'class Rates {}');
    writeFileSync(join(root, '.env'), `TOKEN=${CANARY}`);
    symlinkSync('/etc/hostname', join(root, 'host'));
    vi.stubEnv('TMPDIR', scratch);
  });

  afterEach(() => {
    for (const one of opened) one.close();
    vi.unstubAllEnvs();
    for (const directory of [root, scratch]) rmSync(directory, { recursive: true, force: true });
  });

  function open(model: Scripted, wallS = 90): Reproducing {
    if (!reading.ok) throw new Error(reading.reason);
    const sources = openSourceRoots([root]).map(localSource);
    const made = reproduceInSandbox({ driver: reading.driver, model, sources, wallS });
    opened.push(made);
    return made;
  }

  function ask(made: Reproducing, args: Record<string, string> = {}): Promise<ToolOutcome> {
    const { text } = createRedactor([CANARY]);
    return made.tool.run(
      {
        hypothesis: 'an empty cart fails',
        error_type: 'index_out_of_bounds',
        file_path: 'shop/prices.py',
        ...args,
      },
      { clean: text, signal: new AbortController().signal, now: () => 0 },
    );
  }

  async function told(
    turns: readonly Turn[],
  ): Promise<{ outcome: ToolOutcome; made: Reproducing; model: Scripted }> {
    const model = scripted(turns.map(parsed));
    const made = open(model);
    return { outcome: await ask(made), made, model };
  }

  it('verifies a fault that the real code shows twice, beside a control that works', async () => {
    const { outcome, made } = await told([write('repro.py', FAULT), write('control.py', CALM), finish()]);
    expect(outcome).toMatchObject({ status: 'ok', cls: 'none', filePath: 'shop/prices.py' });
    expect(outcome.data).toMatchObject({
      reproduced: true,
      verified: true,
      confirmed_file: 'shop/prices.py',
      confirmed_line: 3,
      exit_code: 1,
      attempts: 3,
      skip_reason: null,
      driver: 'bwrap',
      repro_script: FAULT,
    });
    expect(made.reproductions()).toEqual([
      {
        filePath: 'shop/prices.py',
        verified: true,
        line: 3,
        error: { fingerprint: 'index_error', text: 'IndexError: list index out of range' },
      },
    ]);
  });

  it.each<[string, string, string, object]>([
    [
      'that raises the error by itself',
      FAULT.replace('total([])', 'raise IndexError("list index out of range")'),
      CALM,
      {},
    ],
    ['whose control fails as well', FAULT, FAULT, {}],
    ['that does not fail', CALM, CALM, {}],
    ['whose failure is another', FAULT.replace('[]', '[{}]'), CALM, {}],
    [
      'that fails elsewhere',
      'import shop.prices  # prices',
      CALM,
      { expect: { exit: 1, stderr_contains: 'ModuleNotFoundError' } },
    ],
    ['that ends otherwise than expected', FAULT, CALM, { expect: { ...EXPECT, exit: 3 } }],
    ['with too little to expect', FAULT, CALM, { expect: { exit: 1, stderr_contains: 'list' } }],
    ['whose control has nothing to do with the file', FAULT, 'print("fine")', {}],
    ['that was never written', FAULT, CALM, { script: 'other.py' }],
    [
      'that prints a stack frame of its own making',
      'import sys\nprint(\'prices: File "/box/src/shop/prices.py", line 3\', file=sys.stderr)\nsys.exit("list" + " index out of range")',
      CALM,
      {},
    ],
  ])('does not verify a script %s', async (_what, script, control, parts) => {
    const { outcome, made } = await told([
      write('repro.py', script),
      write('control.py', control),
      finish({ ...parts }),
      { refusal: true },
    ]);
    expect(outcome.status).not.toBe('ok');
    expect(outcome.data).toMatchObject({ verified: false, reproduced: false, confirmed_file: null });
    expect(made.reproductions().some(({ verified }) => verified)).toBe(false);
  });

  it('does not verify a fault that a file beside the script raises', async () => {
    const { outcome } = await told([
      write('helper.py', 'def fail(): raise IndexError("list index out of range")'),
      write('repro.py', FAULT.replace('total([])', 'import helper; helper.fail()')),
      write('control.py', CALM),
      finish(),
      { refusal: true },
    ]);
    expect(outcome.note).toContain('a file written for it contains the text');
  });

  it('tells the model why, and takes a better proposal', async () => {
    const { outcome, model } = await told([
      write('repro.py', CALM),
      write('control.py', CALM),
      finish(),
      write('repro.py', FAULT),
      finish(),
    ]);
    expect(outcome.data).toMatchObject({ verified: true, attempts: 4 });
    expect(JSON.stringify(model.requests[3]?.messages.at(-1))).toContain(
      'not verified: first run: exit status 0',
    );
  });

  it('weighs what ran and failed, and only that', async () => {
    const failing = await told([
      write('repro.py', CALM),
      write('control.py', CALM),
      finish(),
      { refusal: true },
    ]);
    expect(failing.made.reproductions()).toEqual([
      { filePath: 'shop/prices.py', verified: false, line: null, error: null },
    ]);
    const idle = await told([{ refusal: true }]);
    expect(idle.made.reproductions()).toEqual([]);
    expect(idle.outcome).toMatchObject({ status: 'denied', data: { skip_reason: 'the model declined' } });
  });

  it('shows the model the tree, its own runs, and neither secrets nor the host', async () => {
    const { model } = await told([
      { call: 'read_file', args: { path: 'shop/prices.py', start: 1, end: 4 } },
      { call: 'read_file', args: { path: '.env', start: 1, end: 4 } },
      { call: 'read_file', args: { path: 'host', start: 1, end: 4 } },
      { call: 'run', args: { command: ['ls', '-A', '/box/src'] } },
      { call: 'run', args: { command: ['python3', '-c', `print("${CANARY}")`] } },
      { refusal: true },
    ]);
    const texts =
      model.requests.at(-1)?.messages.flatMap((one) => (one.role === 'tool' ? one.results : [])) ?? [];
    expect(texts[0]?.content).toContain('3:     currency = items[0]["currency"]');
    expect(texts.slice(1, 3).map(({ isError }) => isError)).toEqual([true, true]);
    expect(texts[3]?.content).toContain('exit status 0\nstdout:\nshop\n');
    expect(texts.map(({ content }) => content).join()).not.toContain(CANARY);
  });

  it('runs no line of a shell, but the argument list as it is', async () => {
    const { model } = await told([
      { call: 'run', args: { command: ['echo', '$(id); echo x'] } },
      { refusal: true },
    ]);
    expect(JSON.stringify(model.requests.at(-1)?.messages.at(-1))).toContain('$(id); echo x');
  });

  it('bounds all runs together', async () => {
    const sleep: Turn = { call: 'run', args: { command: ['sleep', '30'] } };
    const model = scripted([sleep, sleep, { refusal: true }]);
    const begun = performance.now();
    await ask(open(model, 1));
    expect(performance.now() - begun).toBeLessThan(6000);
    expect(JSON.stringify(model.requests.at(-1)?.messages.at(-1))).toContain('ended: wall');
  });

  it('asks the model at most ten times, at last only for the result', async () => {
    const { model, outcome } = await told([{ call: 'run', args: { command: ['true'] } }]);
    expect(model.requests).toHaveLength(10);
    expect(model.requests.at(-1)?.tools?.map(({ name }) => name)).toEqual(['finish']);
    expect(outcome.status).toBe('denied');
  });

  it.each([
    [{ error_type: 'network' }, 'a fault of type network is not run'],
    [{ file_path: ' ' }, 'the file is not known'],
    [{ file_path: 'shop/missing.py' }, 'no source tree has this file'],
    [{ file_path: 'shop/rates.cs' }, 'there is no way to run'],
  ])('skips %j without asking the model', async (args, reason) => {
    const model = scripted([{ refusal: true }]);
    const made = open(model);
    const outcome = await ask(made, args);
    expect(outcome.note).toContain(reason);
    expect(outcome.data).toMatchObject({ attempts: 0, exit_code: 0, stdout: '', reproduced: false });
    expect(model.requests).toHaveLength(0);
    expect(made.reproductions()).toEqual([]);
  });

  it('reproduces at most twice in an investigation', async () => {
    const made = open(scripted([{ refusal: true }]));
    await ask(made, { hypothesis: 'a' });
    await ask(made, { hypothesis: 'b' });
    expect((await ask(made, { hypothesis: 'c' })).note).toContain('at most 2 reproductions');
  });

  it('understands a path as a container names it', async () => {
    const made = open(scripted([write('repro.py', FAULT), write('control.py', CALM), finish()].map(parsed)));
    expect((await ask(made, { file_path: '/app/shop/prices.py' })).data).toMatchObject({ verified: true });
  });

  it('removes what it laid out', async () => {
    const { made } = await told([{ refusal: true }]);
    expect(readdirSync(scratch)).toHaveLength(1);
    made.close();
    expect(readdirSync(scratch)).toEqual([]);
    expect(existsSync(join(root, 'shop/prices.py'))).toBe(true);
  });
});
