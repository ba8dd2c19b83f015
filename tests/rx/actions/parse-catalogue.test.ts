import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_CATALOGUE } from '../../../src/rx/actions/catalogue.js';
import { parseCatalogue } from '../../../src/rx/actions/parse-catalogue.js';

const ACTION = {
  action_id: 'more_workers',
  targets: ['agent_error'],
  knob: 'workers',
  op: 'add',
  value: 1,
  max: 8,
  description: 'One more worker, eight at most.',
};
const FILE = { config: { workers: 2, cache: true, mode: 'slow' }, actions: [ACTION] };

function problems(file: unknown): string {
  const read = parseCatalogue(JSON.stringify(file));
  return read.ok ? 'none' : read.problems.join(' | ');
}

const withAction = (changes: object): unknown => ({ ...FILE, actions: [{ ...ACTION, ...changes }] });

describe('catalogue files', () => {
  it('are read as written, the default catalogue among them', () => {
    expect(parseCatalogue(JSON.stringify(FILE))).toEqual({ ok: true, catalogue: FILE });
    expect(parseCatalogue(JSON.stringify(DEFAULT_CATALOGUE))).toEqual({
      ok: true,
      catalogue: DEFAULT_CATALOGUE,
    });
  });

  it.each([
    ['no object', [], 'expected an object'],
    ['an unknown key', { ...FILE, extra: 1 }, 'unknown key "extra"'],
    ['no knob', { ...FILE, config: {} }, 'config: expected'],
    ['a knob of no usable type', { ...FILE, config: { ...FILE.config, x: null } }, 'config.x'],
    ['no action', { ...FILE, actions: [] }, 'actions: expected'],
    ['an action that is none', { ...FILE, actions: [3] }, 'actions[0]: expected an object'],
    [
      'a duplicate id',
      { ...FILE, actions: [ACTION, ACTION] },
      'actions[1].action_id: more_workers occurs twice',
    ],
    ['an unknown knob', withAction({ knob: 'nowhere' }), 'config has no knob nowhere'],
    ['an unknown key of an action', withAction({ code: 'rm' }), 'actions[0].code: unknown key'],
    ['an unknown op', withAction({ op: 'divide' }), 'actions[0].op'],
    ['a value of another type', withAction({ op: 'set', value: 'many' }), 'the knob holds a number'],
    ['adding text', withAction({ knob: 'mode', value: 'x', max: undefined }), 'add needs a number'],
    [
      'bounds on a switch',
      withAction({ knob: 'cache', op: 'set', value: false }),
      'need a knob that holds a number',
    ],
    ['crossed bounds', withAction({ min: 9 }), 'above max'],
    ['half a decimal', withAction({ round_decimals: 1.5 }), 'round_decimals'],
    ['a free action', withAction({ cost: 0 }), 'cost: expected a number above 0'],
    ['no target', withAction({ targets: [] }), 'targets'],
    ['a blank description', withAction({ description: ' ' }), 'description'],
  ])('are refused for %s', (_name, file, problem) => {
    expect(problems(file)).toContain(problem);
  });

  it('are refused when they are no JSON', () => {
    expect(parseCatalogue('{')).toMatchObject({ ok: false });
  });

  it('never make the parser throw', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (config, actions) => {
        parseCatalogue(JSON.stringify({ config, actions }));
        parseCatalogue(JSON.stringify({ config: { workers: 1 }, actions: [actions] }));
      }),
    );
  });
});
