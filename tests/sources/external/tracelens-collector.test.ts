import { describe, expect, it } from 'vitest';
import { objectOr } from '../../../src/foreign/json.js';
import { TRACELENS_CLIS, tracelensCollector } from '../../../src/sources/external/tracelens-collector.js';
import { collect, type EnvChanges } from '../support/collector-env.js';
import { StandIns } from '../support/stand-in.js';
import { temporaryDirectory, writeTree } from '../support/tree.js';

async function look(changes: EnvChanges) {
  const answer = await collect(tracelensCollector, changes);
  return objectOr(objectOr(answer.slots.local_external_deps)['tracelens_cli']);
}

describe('the TraceLens tools', () => {
  it('are missing where there are none', async () => {
    expect(await look({ env: { PATH: '/nonexistent' } })).toEqual({
      cli_names: TRACELENS_CLIS,
      found: Object.fromEntries(TRACELENS_CLIS.map((name) => [name, false])),
      any_present: false,
      root_set: false,
      profile_requested: null,
    });
  });

  it('are found on the path, or beside the serving Python', async () => {
    const tools = new StandIns().add(TRACELENS_CLIS[1], 'true').add('python3', 'true');
    const expected = { found: { [TRACELENS_CLIS[0]]: false, [TRACELENS_CLIS[1]]: true }, any_present: true };
    expect(await look({ env: { PATH: tools.directory } })).toMatchObject(expected);
    expect(await look({ env: { MAGPIE_PYTHON: `${tools.directory}/python3` } })).toMatchObject(expected);
    expect(await look({ env: { PYTHON: 'python3' } })).toMatchObject({ any_present: false });
  });

  it('are needed once a profile was started', async () => {
    const session = (files: Record<string, string>) => writeTree(temporaryDirectory(), files);
    const requested = async (sessionDir: string) => (await look({ sessionDir }))['profile_requested'];
    expect(await requested(session({}))).toBe(false);
    expect(await requested(session({ 'runs/profile/': '' }))).toBe(false);
    expect(await requested(session({ 'runs/profile/t1/': '' }))).toBe(true);
    expect(await requested(session({ 'runs/profile': 'a file' }))).toBe(false);
    expect(await look({ env: { TRACELENS_ROOT: '/x' } })).toMatchObject({ root_set: true });
  });
});
