import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { choosePrompt } from '../../src/llm/promoted-prompt.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'registry-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const TEXT = 'You diagnose better.\n';
const HASH = createHash('sha256').update(TEXT).digest('hex');

function promote(pointer: unknown, text: string | Buffer = TEXT): void {
  writeFileSync(
    join(folder, 'current.json'),
    typeof pointer === 'string' ? pointer : JSON.stringify(pointer),
  );
  writeFileSync(join(folder, 'v2.md'), text);
}

describe('the prompt to use (spec 08 §21)', () => {
  it('is the promoted one when pointer, text and hash agree', () => {
    promote({ version: 2, sha256: HASH, updated_at: 'x', previous_version: 1, reason: 'promoted' });
    expect(choosePrompt(folder, 'built in')).toEqual({
      kind: 'promoted',
      text: TEXT,
      version: 2,
      sha256: HASH,
    });
  });

  it('is the built-in one, without a word, where nothing was ever promoted', () => {
    expect(choosePrompt(join(folder, 'nowhere'), 'built in')).toEqual({ kind: 'built_in', text: 'built in' });
  });

  it.each<[string, () => void, string]>([
    ['that is gone', () => writeFileSync(join(folder, 'v1.md'), TEXT), 'current.json is missing'],
    ['torn', () => promote('{"version":2,"sha'), 'no JSON object'],
    ['without hash', () => promote({ version: 2 }), 'no version and hash'],
    ['with a path for a version', () => promote({ version: '../../x', sha256: HASH }), 'no version and hash'],
    ['of another text', () => promote({ version: 2, sha256: HASH }, `${TEXT} `), 'hash differs'],
    ['to a missing text', () => promote({ version: 3, sha256: HASH }), 'v3.md is missing'],
    ['far too large', () => promote(' '.repeat(20_000)), 'larger than'],
    [
      'to a text far too large',
      () => promote({ version: 2, sha256: HASH }, 'x'.repeat(40_000)),
      'larger than',
    ],
    ['that is a directory', () => mkdirSync(join(folder, 'current.json')), 'no regular file'],
    ['that is a pipe', () => void execFileSync('mkfifo', [join(folder, 'current.json')]), 'no regular file'],
  ])('a pointer %s leads to the built-in one, with the reason', (_, prepare, problem) => {
    prepare();
    expect(choosePrompt(folder, 'built in')).toMatchObject({
      kind: 'built_in',
      text: 'built in',
      problem: expect.stringContaining(problem),
    });
  });
});
