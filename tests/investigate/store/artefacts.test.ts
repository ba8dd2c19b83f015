import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { modelContinuation } from '../../../src/investigate/loop/open-model.js';
import { investigate } from '../../../src/investigate/run.js';
import { createArtefacts, listPast, readIndex } from '../../../src/investigate/store/artefacts.js';
import { filesBelow } from '../../support/files-below.js';
import { openWorld, setupOf, type World } from '../fakes/run-case.js';
import { scripted } from '../loop/scripted-model.js';
import { CART_STORE, citing, QUOTE } from '../loop/submissions.js';

let world: World;
beforeEach(async () => {
  world = await openWorld('cartFailure', true);
  onTestFinished(() => world.close());
});

async function run(id: string, change: Partial<World['config']> = {}) {
  const config = { ...world.config, ...change };
  const model = scripted([citing(QUOTE, { file_path: CART_STORE, line_number: 194 })]);
  const signal = new AbortController().signal;
  const continueWithModel = modelContinuation({ model, config, signal });
  const artefacts = createArtefacts(world.directory, id, config.keep);
  return investigate({ ...setupOf(world, id), config, artefacts, continueWithModel });
}

const id = (at: number) => `inv-${1_780_000_000 + at}-00000000`;

describe('the files of an investigation', () => {
  it('are the ones of the layout, for their owner alone', async () => {
    await run(id(1));
    const own = join(world.directory, id(1));
    const files = readdirSync(own).sort();
    expect(files).toEqual(['payloads', 'receipts.jsonl', 'result.json', 'transcript.jsonl']);
    for (const path of [...filesBelow(own), join(world.directory, 'index.jsonl')])
      expect([path, statSync(path).mode & 0o777]).toEqual([path, 0o600]);
    for (const path of [world.directory, own, join(own, 'payloads')])
      expect([path, statSync(path).mode & 0o777]).toEqual([path, 0o700]);
    for (const path of filesBelow(join(own, 'payloads')))
      expect(statSync(path).size).toBeLessThanOrEqual(64 * 1024);
  });

  it('have a line in the index with these keys', async () => {
    const { budget } = await run(id(1));
    const line = readFileSync(join(world.directory, 'index.jsonl'), 'utf8');
    expect(JSON.parse(line)).toEqual({
      investigation_id: id(1),
      created_unix: world.nowUnix,
      key: null,
      mode: 'llm',
      error_type: 'runtime_error',
      subject: 'service:cart',
      confidence: 0.7,
      confidence_level: 'medium',
      duration_s: budget.wall_s,
    });
  });

  it('hold no transcript where none is kept', async () => {
    await run(id(1), { keepTranscript: false });
    expect(readdirSync(join(world.directory, id(1)))).not.toContain('transcript.jsonl');
  });

  it('are those of the newest investigations', async () => {
    for (const at of [1, 2, 3]) await run(id(at), { keep: 2 });
    expect(listPast(world.directory).map((past) => past.id)).toEqual([id(3), id(2)]);
    expect(readIndex(world.directory)).toHaveLength(3);
  });

  it('show what a crash has left as aborted', () => {
    mkdirSync(join(world.directory, id(1)));
    expect(listPast(world.directory)).toMatchObject([{ id: id(1), state: 'aborted', line: null }]);
  });

  it('keep their index small', async () => {
    const index = join(world.directory, 'index.jsonl');
    const old = JSON.stringify({ investigation_id: id(0), key: 'x'.repeat(1000) });
    writeFileSync(index, `${old}\n`.repeat(1100));
    await run(id(1));
    expect(statSync(index).size).toBeLessThan(600 * 1024);
    expect(statSync(index).mode & 0o777).toBe(0o600);
    const lines = readFileSync(index, 'utf8').trim().split('\n');
    expect(lines[0]).toBe(old);
    expect(readIndex(world.directory).at(-1)).toMatchObject({ investigation_id: id(1) });
  });
});
