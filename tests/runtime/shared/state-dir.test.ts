import { homedir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { stateDir } from '../../../src/runtime/shared/state-dir.js';

const dir = (env: NodeJS.ProcessEnv): string => stateDir({ env, cwd: '/somewhere' });

describe('state directory', () => {
  it('is the named one, else the one for state, else below the home directory', () => {
    expect(dir({ ROBUSTNESS_STATE_DIR: '/state', XDG_STATE_HOME: '/xdg' })).toBe('/state');
    expect(dir({ ROBUSTNESS_STATE_DIR: 'state' })).toBe('/somewhere/state');
    expect(dir({ ROBUSTNESS_STATE_DIR: ' ', XDG_STATE_HOME: '/xdg' })).toBe('/xdg/robustness-agent');
    expect(dir({})).toBe(`${homedir()}/.local/state/robustness-agent`);
  });
});
