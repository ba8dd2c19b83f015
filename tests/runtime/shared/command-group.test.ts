import { describe, expect, it } from 'vitest';
import { type CommandGroup, runGroup } from '../../../src/runtime/shared/command-group.js';
import { UserError } from '../../../src/runtime/shared/user-error.js';
import { runCommand } from '../../support/command-io.js';

const GROUP: CommandGroup = {
  name: 'things',
  about: ['About things.'],
  commands: {
    count: { summary: 'count them', load: async () => ({ run: async (argv) => argv.length }) },
    lose: {
      summary: 'lose them',
      load: async () => ({
        run: () => Promise.reject(new UserError({ code: 'RA_USAGE', happened: 'they are lost' })),
      }),
    },
  },
  notes: ['Exit codes: 0 done.'],
};

const call = (...argv: string[]) => runCommand((args, io) => runGroup(GROUP, args, io), argv);

describe('a group of commands', () => {
  it('hands the rest of the arguments on, and the exit code back', async () => {
    expect(await call('count', 'a', 'b')).toMatchObject({ code: 2, stdout: '', stderr: '' });
  });

  it.each([[[]], [['--help']], [['-h']]])('shows what there is for %j', async (argv) => {
    const { code, stdout } = await call(...argv);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^usage: robustness-agent things COMMAND[\s\S]*\n {2}count {2}count them\n/);
  });

  it.each(['nonsense', 'constructor', '__proto__'])('does not know %s', async (name) => {
    expect(await call(name)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^RA_USAGE: .*count, lose\n$/),
    });
  });

  it('turns what a user met into one line', async () => {
    expect(await call('lose')).toMatchObject({ code: 2, stderr: 'RA_USAGE: they are lost\n' });
  });
});
