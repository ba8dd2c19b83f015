import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { modelContinuation } from '../../../src/investigate/loop/open-model.js';
import { investigate } from '../../../src/investigate/run.js';
import { createFileArchive } from '../../../src/investigate/server/file-archive.js';
import { storedEvents } from '../../../src/investigate/server/stored-events.js';
import { listPast } from '../../../src/investigate/store/artefacts.js';
import type { ChatModel } from '../../../src/llm/chat.js';
import { openWorld, setupOf, type World } from '../fakes/run-case.js';

async function world(): Promise<World> {
  const opened = await openWorld('cartFailure', false);
  onTestFinished(() => opened.close());
  return opened;
}

/** A model that is still thinking when somebody loses patience. */
function interrupted(stop: AbortController): ChatModel {
  return {
    provider: 'openai',
    model: 'slow',
    async complete(_request, deadline) {
      stop.abort();
      const message = deadline.signal.aborted ? 'cancelled' : 'too late';
      return { ok: false, failure: { reason: 'timed_out', message }, attempts: 1, latencyMs: 1 };
    },
    close: async () => undefined,
  };
}

describe('an investigation that is cancelled', () => {
  it('stores what it had found, marked, and counts as no answer anywhere', async () => {
    const place = await world();
    const stop = new AbortController();
    const setup = { ...setupOf(place), signal: stop.signal, cancel: stop.signal };
    const config = place.config;
    const continueWithModel = modelContinuation({ model: interrupted(stop), config, signal: stop.signal });
    const result = await investigate({ ...setup, continueWithModel });
    expect(result).toMatchObject({
      mode: 'deterministic',
      root_cause: { error_type: 'runtime_error' },
      budget: { exhausted: 'cancelled' },
    });
    expect(result.warnings.join()).toContain('cancelled before it was finished');
    const root = place.directory;
    const file = JSON.parse(readFileSync(join(root, result.investigation_id, 'result.json'), 'utf8'));
    expect(file).toEqual(result);
    expect(existsSync(join(root, 'index.jsonl'))).toBe(false);
    expect(existsSync(join(root, result.investigation_id, 'running.json'))).toBe(false);
    expect(listPast(root)).toMatchObject([{ state: 'cancelled', line: null }]);
    const archive = createFileArchive(root);
    expect(archive.list()).toMatchObject([{ status: 'aborted' }]);
    const stored = archive.read(result.investigation_id);
    expect(stored === null ? null : storedEvents(stored).at(-1)?.event).toMatchObject({
      type: 'error',
      code: 'cancelled',
    });
  });

  it('out of time is something else: the answer is one, and says why it is short', async () => {
    const place = await world();
    const setup = { ...setupOf(place), signal: AbortSignal.abort(), cancel: new AbortController().signal };
    const result = await investigate(setup);
    expect(result.budget.exhausted).toBe('wall_time');
    expect(existsSync(join(place.directory, 'index.jsonl'))).toBe(true);
    expect(listPast(place.directory)).toMatchObject([{ state: 'done' }]);
  });

  it('is marked as running while it runs', async () => {
    const place = await world();
    const marks: unknown[] = [];
    const setup = setupOf(place);
    const mark = join(place.directory, setup.investigationId, 'running.json');
    const question = { ...setup.question, key: 'some key' };
    await investigate({
      ...setup,
      question,
      onReceipt: () => marks.push(JSON.parse(readFileSync(mark, 'utf8'))),
    });
    expect(marks[0]).toEqual({ key: 'some key', pid: process.pid, start_unix: expect.any(Number) });
    expect(existsSync(mark)).toBe(false);
  });
});
