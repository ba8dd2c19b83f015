import type { Turn } from '../../loop/scripted-model.js';
import { ask, burst, claim, NOW, type Scene } from './scene.js';
import { CLAIM, EARNED, FILE, failingTrace, failureLines, LOOKS } from './shop.js';

const program = (body: string): string =>
  `import sys\nsys.path.insert(0, "/box/src")\nfrom shop.prices import amount, total\n${body}\n`;
const CONTROL = program('total([{"price": 1, "currency": "EUR"}])');
const INDEX = 'list index out of range';

interface Trial {
  readonly script: string;
  readonly expected: string;
  readonly suspect?: string;
  readonly control?: string;
}

/** What the model writes and hands in to reproduce the fault; it gives up when that is not taken. */
function trial({ script, expected, suspect = FILE, control = CONTROL }: Trial, isTaken = true): Turn[] {
  return [
    ask('reproduce_in_sandbox', {
      hypothesis: 'an empty cart fails',
      error_type: 'index_out_of_bounds',
      file_path: suspect,
    }),
    { call: 'write_file', args: { name: 'repro.py', content: script } },
    { call: 'write_file', args: { name: 'control.py', content: control } },
    {
      call: 'finish',
      args: {
        script: 'repro.py',
        control_script: 'control.py',
        expect: { exit: 'nonzero', stderr_contains: expected },
        explanation: 'no item',
      },
    },
    ...(isTaken ? [] : [{ refusal: true } as const]),
  ];
}

const HONEST = { script: program('total([])'), expected: INDEX };
const story = (turns: readonly Turn[]): readonly Turn[] => [...LOOKS, ...turns, claim(CLAIM)];

/** Only a log, and a reproduction of what it says. */
const REPRODUCED: Scene = {
  ...EARNED,
  name: 'log, source line and a reproduction',
  isInWorld: false,
  needsSandbox: true,
  traces: [],
  script: story(trial(HONEST)),
};
const twin = (name: string, trap: string, honest: Scene['honest'], turns: readonly Turn[]): Scene => ({
  ...REPRODUCED,
  name,
  trap,
  honest,
  script: story(turns),
});

/** Claims that rest on what was run in the sandbox of this machine. */
export const SANDBOX_SCENES: readonly Scene[] = [
  REPRODUCED,
  {
    ...REPRODUCED,
    name: 'log, trace, source line and a reproduction',
    traces: [failingTrace(NOW - 120)],
    logs: { pricing: failureLines(NOW - 119) },
  },
  twin(
    'a reproduction of another error of this file',
    'not the error that was seen',
    'medium',
    trial({ script: program('amount(" ")'), expected: 'invalid literal for int()' }),
  ),
  twin(
    'a reproduction in another file',
    'not the file of the claim',
    'medium',
    trial({
      suspect: 'shop/stock.py',
      script: 'import sys\nsys.path.insert(0, "/box/src")\nfrom shop import stock\nstock.first()\n',
      control: 'import sys\nsys.path.insert(0, "/box/src")\nfrom shop import stock\nprint(stock.LEVELS)\n',
      expected: INDEX,
    }),
  ),
  twin(
    'a script that raises the error by itself',
    'nothing was reproduced',
    'medium',
    trial({ ...HONEST, script: program(`raise IndexError("${INDEX}")`) }, false),
  ),
  twin(
    'a control that fails as well',
    'it ran and showed nothing',
    'low',
    trial({ ...HONEST, control: program('total([])') }, false),
  ),
  twin(
    'a run that does not fail',
    'it ran and showed nothing',
    'low',
    trial({ ...HONEST, script: CONTROL }, false),
  ),
  {
    ...REPRODUCED,
    name: 'a reproduction that nothing observed asks for',
    trap: 'no evidence that it happened',
    honest: 'medium',
    logs: { pricing: burst(NOW - 119, ['INFO ready']) },
    script: [
      LOOKS[1] ?? ask('read_source_slice', { path: FILE, line: 14 }),
      ...trial(HONEST),
      claim({ ...CLAIM, quote: 'items[0]' }),
    ],
  },
];
