import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_CONFIG } from '../../../src/investigate/config.js';
import { modelContinuation } from '../../../src/investigate/loop/open-model.js';
import type { HealResult } from '../../../src/investigate/model/heal-result.js';
import { investigate } from '../../../src/investigate/run.js';
import { createRedactor, Secret } from '../../../src/investigate/safety/redactor.js';
import { mayHaveSandbox, openSandbox } from '../../../src/investigate/sandbox/open.js';
import { reproduceInSandbox } from '../../../src/investigate/sandbox/reproduce-tool.js';
import { localSource } from '../../../src/investigate/sandbox/source.js';
import { createArtefacts } from '../../../src/investigate/store/artefacts.js';
import { openSourceRoots, readSourceSlice } from '../../../src/investigate/tools/session/source-slice.js';
import { scripted, type Turn } from '../loop/scripted-model.js';
import { settingsOf } from '../settings-of.js';
import { cannotRun, reading } from './bwrap-support.js';

const KEY = new Secret('e2b_0123456789abcdef');
const PATH = 'shop/parser.py';
const NAMES = { script: 'repro.py', control_script: 'control.py', explanation: 'a blank is no number' };
const program = (argument: string): string =>
  `import sys\nsys.path.insert(0, "/box/src")\nfrom shop.parser import amount\namount(${argument})\n`;

const write = (name: string, content: string): Turn => ({ call: 'write_file', args: { name, content } });

/** Looks at the source, has it reproduced with an argument, and claims the fault. */
function story(argument: string): Turn[] {
  return [
    { call: 'read_source_slice', args: { path: PATH, line: 2 } },
    {
      call: 'reproduce_in_sandbox',
      args: { hypothesis: 'a blank amount fails', error_type: 'parsing_error', file_path: PATH },
    },
    write('repro.py', program(argument)),
    write('control.py', program('"12"')),
    { call: 'finish', args: { ...NAMES, expect: { exit: 1, stderr_contains: 'invalid literal for int()' } } },
    ...(argument === '" "' ? [] : [{ refusal: true } as const]),
    {
      call: 'submit_result',
      args: {
        issue_summary: 'amounts fail',
        root_cause: {
          description: 'a blank amount is parsed as a number',
          confidence: 0.9,
          error_type: 'parsing_error',
          file_path: PATH,
          line_number: 2,
          claims: [
            { text: 'the amount is parsed as it is', receipt_ids: ['r001'], quote: 'return int(text)' },
          ],
        },
        recommended_fix: 'treat a blank amount as absent',
      },
    },
  ];
}

describe.skipIf(!reading.ok)(`an investigation with a sandbox${cannotRun}`, () => {
  let directory: string;

  beforeEach(() => {
    directory = realpathSync(mkdtempSync(join(tmpdir(), 'sandbox-run-')));
    chmodSync(directory, 0o755);
    mkdirSync(join(directory, 'source/shop'), { recursive: true });
    writeFileSync(join(directory, 'source/shop/__init__.py'), '');
    writeFileSync(join(directory, 'source', PATH), 'def amount(text):\n    return int(text)\n');
  });

  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  async function run(turns: readonly Turn[]): Promise<HealResult> {
    if (!reading.ok) throw new Error(reading.reason);
    const roots = openSourceRoots([join(directory, 'source')]);
    const model = scripted(turns);
    const sandbox = reproduceInSandbox({
      driver: reading.driver,
      model,
      sources: roots.map(localSource),
      wallS: DEFAULT_CONFIG.sandboxWallS,
    });
    const { signal } = new AbortController();
    try {
      return await investigate({
        investigationId: 'inv-1780000000-00000000',
        question: {
          text: 'amounts cannot be parsed',
          symptom: null,
          subject: {},
          key: null,
          serviceName: null,
          traceId: null,
          windowMinutes: 10,
          incidentUnix: 1_780_000_000,
          snapshot: null,
        },
        tools: [readSourceSlice(roots), sandbox.tool],
        trees: async () => roots.map(({ tree }) => tree),
        redactor: createRedactor([]),
        artefacts: createArtefacts(join(directory, 'out'), 'inv-1780000000-00000000', 50),
        config: DEFAULT_CONFIG,
        now: () => 1_780_000_000,
        signal,
        warnings: [],
        reproductions: sandbox.reproductions,
        continueWithModel: modelContinuation({ model, config: DEFAULT_CONFIG, signal, nonce: 'nonce' }),
      });
    } finally {
      sandbox.close();
    }
  }

  it('lifts a claim that was reproduced into MEDIUM, and says so', async () => {
    const result = await run(story('" "'));
    expect(result).toMatchObject({
      mode: 'llm',
      action_taken: 'sandbox_enriched',
      supported_band: 'medium',
      root_cause: {
        confidence_level: 'medium',
        error_type: 'parsing_error',
        file_path: PATH,
        line_number: 2,
      },
    });
    expect(result.tools_used).toEqual(['read_source_slice', 'reproduce_in_sandbox']);
    expect(result.tools_unavailable).not.toContain('sandbox');
  });

  it('leaves a claim at LOW when the reproduction ran and showed nothing', async () => {
    const result = await run(story('"7"'));
    expect(result).toMatchObject({ action_taken: 'explained', supported_band: 'low' });
    expect(result.root_cause.confidence_level).toBe('low');
  });

  it('leaves it at LOW when nothing was tried', async () => {
    const [look, , , , , claim] = story('" "');
    const result = await run([look, claim].filter((turn) => turn !== undefined));
    expect(result).toMatchObject({ action_taken: 'explained', supported_band: 'low' });
  });
});

describe('the choice of a sandbox', () => {
  it('opens none where none is wanted', async () => {
    expect(await openSandbox('none')).toEqual({ driver: null, warnings: [] });
    expect(await openSandbox('none', KEY)).toEqual({ driver: null, warnings: [] });
  });

  it('prefers the one that is here, and takes E2B where it is asked for', async () => {
    expect((await openSandbox('auto', KEY)).driver?.name).toBe(reading.ok ? 'bwrap' : 'e2b');
    expect(await openSandbox('e2b', KEY)).toMatchObject({ driver: { name: 'e2b' }, warnings: [] });
    expect(await openSandbox('e2b')).toEqual({
      driver: null,
      warnings: ['no sandbox: e2b_api_key is not set'],
    });
  });

  it('knows what may be there without trying it', () => {
    expect(mayHaveSandbox('none', true)).toBe(false);
    expect([mayHaveSandbox('e2b', true), mayHaveSandbox('e2b', false)]).toEqual([true, false]);
    expect(mayHaveSandbox('auto', true)).toBe(true);
    expect(mayHaveSandbox('bwrap', true)).toBe(mayHaveSandbox('bwrap', false));
  });

  it.each([
    ['', 'auto'],
    ['bwrap', 'bwrap'],
    ['E2B', 'e2b'],
    ['OFF', 'none'],
    ['none', 'none'],
  ])('reads %j as %s', (value, choice) => {
    const reading = settingsOf({ INVESTIGATE_SANDBOX_DRIVER: value });
    expect(reading).toMatchObject({ settings: { config: { sandboxDriver: choice } } });
  });

  it.each(['docker', 'wasm'])('refuses %s, naming what there is', (value) => {
    expect(settingsOf({ INVESTIGATE_SANDBOX_DRIVER: value })).toEqual({
      ok: false,
      problems: [
        expect.stringMatching(
          /INVESTIGATE_SANDBOX_DRIVER is not usable, expected auto, bwrap, e2b, none, off/,
        ),
      ],
    });
  });

  it('reads the time of all runs together', () => {
    const wall = (value: string) => settingsOf({ INVESTIGATE_SANDBOX_WALL_S: value });
    expect(wall('30')).toMatchObject({ settings: { config: { sandboxWallS: 30 }, warnings: [] } });
    expect(wall('9000')).toMatchObject({
      settings: { config: { sandboxWallS: 600 }, warnings: [expect.stringContaining('its limit is used')] },
    });
  });
});
