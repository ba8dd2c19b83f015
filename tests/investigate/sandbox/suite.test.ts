import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { objectOr } from '../../../src/foreign/json.js';
import type { ErrorType } from '../../../src/investigate/model/error-type.js';
import type { BoxCommand, SandboxDriver } from '../../../src/investigate/sandbox/box.js';
import { reproduceInSandbox } from '../../../src/investigate/sandbox/reproduce-tool.js';
import { localSource } from '../../../src/investigate/sandbox/source.js';
import { openSourceRoots } from '../../../src/investigate/tools/session/source-slice.js';
import type { ToolOutcome } from '../../../src/investigate/tools/tool.js';
import { scripted, type Turn } from '../loop/scripted-model.js';
import { cannotRun, reading } from './bwrap-support.js';

interface Trial {
  readonly file: string;
  readonly source: string;
  readonly type: ErrorType;
  readonly extension: string;
  readonly script: string;
  readonly control: string;
  readonly expected: string;
  /** Where the fault is. */
  readonly line: number;
}

const python = (module: string, call: string): string =>
  `import sys\nsys.path.insert(0, "/box/src")\nfrom ${module} import run\nrun(${call})\n`;
const node = (file: string, call: string): string => `require("/box/src/${file}").run(${call});\n`;

const TRIALS: Readonly<Record<string, Trial>> = {
  'a missing value, Python': {
    file: 'tiny/missing.py',
    source: 'def run(order):\n    card = order.get("card")\n    return card["number"]\n',
    type: 'null_pointer',
    extension: 'py',
    script: python('tiny.missing', '{}'),
    control: python('tiny.missing', '{"card": {"number": 1}}'),
    expected: "'NoneType' object",
    line: 3,
  },
  'one past the end, Python': {
    file: 'tiny/past.py',
    source: 'def run(items):\n    return items[len(items)]\n\ndef size(items):\n    return len(items)\n',
    type: 'index_out_of_bounds',
    extension: 'py',
    script: python('tiny.past', '[1, 2]'),
    control: 'import sys\nsys.path.insert(0, "/box/src")\nfrom tiny.past import size\nsize([])\n',
    expected: 'list index out of range',
    line: 2,
  },
  'a text that is no number, Python': {
    file: 'tiny/parse.py',
    source: 'def run(text):\n    return int(text)\n',
    type: 'parsing_error',
    extension: 'py',
    script: python('tiny.parse', '"12 EUR"'),
    control: python('tiny.parse', '"12"'),
    expected: 'invalid literal for int()',
    line: 2,
  },
  'a missing value, JavaScript': {
    file: 'tiny/missing.js',
    source: 'exports.run = (order) => {\n  return order.card.number;\n};\n',
    type: 'null_pointer',
    extension: 'js',
    script: node('tiny/missing.js', '{}'),
    control: node('tiny/missing.js', '{ card: { number: 1 } }'),
    expected: 'Cannot read properties of undefined',
    line: 2,
  },
};

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'suite-')));
  chmodSync(root, 0o755);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function layOut(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

function handIn({ extension, script, control, expected }: Trial): Turn[] {
  const names = { script: `repro.${extension}`, control_script: `control.${extension}` };
  return [
    { call: 'write_file', args: { name: names.script, content: script } },
    { call: 'write_file', args: { name: names.control_script, content: control } },
    {
      call: 'finish',
      args: { ...names, expect: { exit: 'nonzero', stderr_contains: expected }, explanation: 'as supposed' },
    },
    { refusal: true },
  ];
}

async function reproduce(driver: SandboxDriver, { file, type }: Trial, turns: Turn[]): Promise<ToolOutcome> {
  const made = reproduceInSandbox({
    driver,
    model: scripted(turns),
    sources: openSourceRoots([root]).map(localSource),
    wallS: 60,
  });
  try {
    return await made.tool.run(
      { hypothesis: 'it fails', error_type: type, file_path: file },
      { clean: (text) => text, signal: new AbortController().signal, now: () => 0 },
    );
  } finally {
    made.close();
  }
}

describe('tier A: a sandbox that is only played', () => {
  const trial = TRIALS['one past the end, Python'];

  /** A driver that fails scripts as told, and remembers what it was to run. */
  function played(stderr: string, exit: number): { driver: SandboxDriver; ran: BoxCommand[] } {
    const ran: BoxCommand[] = [];
    const driver: SandboxDriver = {
      name: 'bwrap',
      async run(command) {
        ran.push(command);
        const isRepro = command.argv.at(-1) === 'repro.py';
        return {
          stdout: '',
          stderr: isRepro ? stderr : '',
          ended: 'exit',
          exit: isRepro ? exit : 0,
        };
      },
    };
    return { driver, ran };
  }

  it('the script that is written is tried twice, and its control once', async () => {
    if (trial === undefined) throw new Error('no trial');
    layOut({ [trial.file]: trial.source });
    const frame = `  File "/box/src/${trial.file}", line ${trial.line}, in run\nIndexError: ${trial.expected}`;
    const { driver, ran } = played(frame, 1);
    const { data } = await reproduce(driver, trial, handIn(trial));
    expect(data).toMatchObject({ reproduced: true, attempts: 3, repro_script: trial.script });
    expect(ran.map(({ argv }) => argv.at(-1))).toEqual(['python3', 'repro.py', 'repro.py', 'control.py']);
  });

  it('a try that shows nothing is told as one', async () => {
    if (trial === undefined) throw new Error('no trial');
    layOut({ [trial.file]: trial.source });
    const { driver } = played('', 0);
    const { status, data } = await reproduce(driver, trial, handIn(trial));
    expect(status).toBe('empty');
    expect(data).toMatchObject({ reproduced: false, attempts: 1, repro_script: trial.script });
  });
});

describe.skipIf(!reading.ok)(`tier B: small files with a fault, run for real${cannotRun}`, () => {
  it.each(Object.entries(TRIALS))('%s', async (_name, trial) => {
    if (!reading.ok) throw new Error(reading.reason);
    layOut({ 'tiny/__init__.py': '', [trial.file]: trial.source });
    const { status, data } = await reproduce(reading.driver, trial, handIn(trial));
    expect(status).toBe('ok');
    expect(data).toMatchObject({
      reproduced: true,
      verified: true,
      confirmed_file: trial.file,
      confirmed_line: trial.line,
      driver: reading.driver.name,
    });
  });
});

describe.skipIf(!reading.ok)(`tier C: what no sandbox can show${cannotRun}`, () => {
  it.each([
    ['a flag of a remote service, in C#', 'src/cart/src/cartstore/ValkeyCartStore.cs', 'cs'],
    ['a flag of a running service, in a text that only says so', 'src/ad/flags.json', 'json'],
  ])('%s: nothing is claimed', async (_what, file, extension) => {
    if (!reading.ok) throw new Error(reading.reason);
    layOut({ [file]: 'throw made(up);\n' });
    const trial = { ...TRIALS['one past the end, Python'], file, extension } as const;
    const { status, data } = await reproduce(
      reading.driver,
      { type: 'runtime_error', source: '', script: '', control: '', expected: '', line: 1, ...trial },
      [{ refusal: true }],
    );
    expect(status).toBe('denied');
    expect(objectOr(data)).toMatchObject({ reproduced: false, verified: false, attempts: 0 });
    expect(String(objectOr(data)['skip_reason'])).toContain('there is no way to run');
  });

  it('a service that is not there, played by the script itself: nothing is claimed', async () => {
    if (!reading.ok) throw new Error(reading.reason);
    const file = 'shop/store.py';
    const source =
      'import socket\n\ndef run(host):\n    return socket.create_connection((host, 6379), timeout=1)\n';
    layOut({ 'shop/__init__.py': '', [file]: source });
    const trial: Trial = {
      file,
      source,
      type: 'runtime_error',
      extension: 'py',
      // Without a network every host is away, so the control fails as well.
      script: python('shop.store', '"127.0.0.1"'),
      control: python('shop.store', '"127.0.0.2"'),
      expected: 'Connection refused',
      line: 4,
    };
    const { status, data } = await reproduce(reading.driver, trial, handIn(trial));
    expect(status).toBe('empty');
    expect(data).toMatchObject({ reproduced: false, verified: false });
  });
});
