import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { manifestCollector } from '../../../src/sources/artifacts/manifest-collector.js';
import { collect } from '../support/collector-env.js';
import { temporaryDirectory, writeTree } from '../support/tree.js';

const session = (files: Record<string, string>) => writeTree(temporaryDirectory(), files);

describe('the manifest', () => {
  const look = (files: Record<string, string>) => collect(manifestCollector, { sessionDir: session(files) });

  it('is delivered as it is, with the tokens that Python writes', async () => {
    const answer = await look({ 'manifest.json': '{"tp": 8, "model_name": "m", "x": NaN}' });
    expect(answer).toMatchObject({
      verdicts: { manifest: { status: 'ok' } },
      slots: { local_manifest: { tp: 8, model_name: 'm' } },
      facts: { manifest: { tp: 8 } },
    });
  });

  it.each([
    [{}, { status: 'empty', reason: 'missing' }],
    [{ 'manifest.json': '{"tp": ' }, { status: 'error', reason: 'corrupt' }],
    [{ 'manifest.json': '[1]' }, { status: 'error', reason: 'corrupt' }],
    [{ 'manifest.json': `"${'x'.repeat(4 * 2 ** 20)}"` }, { status: 'error', reason: 'too_large' }],
    [{ 'manifest.json/': '' }, { status: 'error', reason: 'exception' }],
  ])('that is no readable object gives nothing (%#)', async (files, verdict) => {
    const answer = await look(files);
    expect(answer.verdicts.manifest).toMatchObject(verdict);
    expect(answer.slots.local_manifest).toEqual({});
    expect(answer.facts).toBeUndefined();
  });

  it('is read once more when it was caught half written', async () => {
    const sessionDir = session({ 'manifest.json': '{"tp"' });
    const answer = collect(manifestCollector, { sessionDir });
    writeFileSync(join(sessionDir, 'manifest.json'), '{"tp": 4}');
    expect((await answer).slots.local_manifest).toEqual({ tp: 4 });
  });

  it('is not followed out of the session', async () => {
    const outside = session({ 'secret.json': '{"a": 1}' });
    const sessionDir = temporaryDirectory();
    symlinkSync(join(outside, 'secret.json'), join(sessionDir, 'manifest.json'));
    expect((await collect(manifestCollector, { sessionDir })).slots.local_manifest).toEqual({});
  });
});
