import { appendFileSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { appendLines } from '../../../src/reactor/findings/append-lines.js';
import type { Finding } from '../../../src/reactor/findings/finding.js';
import {
  type FindingsLine,
  findingsFiles,
  findingsIds,
  readFindings,
} from '../../../src/reactor/findings/read-findings.js';
import { appendFindings, MAX_FINDING_BYTES } from '../../../src/reactor/findings/sink.js';
import { findingsPath } from '../../../src/reactor/store/paths.js';
import { tempDir } from '../../support/temp-dir.js';

function finding(changes: Partial<Finding> = {}): Finding {
  return {
    tick_index: 4,
    timestamp_unix: 1000.5,
    symptom_name: 'disk_pressure',
    severity: 'high',
    summary: 'disk / is full',
    intents: [{ intent_type: 'alert', payload: { severity: 'high', summary: 'disk / is full' } }],
    evidence: { mountpoint: '/' },
    rca_text: '',
    subject: { mountpoint: '/' },
    cooldown_until_tick: 9,
    ...changes,
  };
}

const target = (sessionDir: string) => ({ sessionDir, sessionId: 's', mayRotate: true });

async function readAll(paths: readonly string[]): Promise<FindingsLine[]> {
  const lines: FindingsLine[] = [];
  for await (const line of readFindings(paths)) lines.push(line);
  return lines;
}

describe('the findings file', () => {
  it('gives back what was appended, in order', async () => {
    const directory = tempDir();
    appendFindings(target(directory), [finding(), finding({ tick_index: 5 })]);
    appendFindings(target(directory), [
      finding({ tick_index: 6, policy: ['reminder_backoff'], origin: 'run' }),
    ]);
    const lines = await readAll(findingsFiles(directory, 's'));
    expect(lines.map((line) => line.ok && line.finding)).toEqual([
      finding(),
      finding({ tick_index: 5 }),
      finding({ tick_index: 6, policy: ['reminder_backoff'], origin: 'run' }),
    ]);
  });

  it('does not exist before something was found', () => {
    const directory = tempDir();
    expect(appendFindings(target(directory), [])).toBeUndefined();
    expect(readdirSync(directory)).toEqual([]);
  });

  it('holds plain ASCII, one object per line, for readers that split at U+2028 or U+0085', () => {
    const directory = tempDir();
    appendFindings(target(directory), [finding({ summary: 'é\u2028\u0085\ud800 \n x' })]);
    const text = readFileSync(findingsPath(directory, 's'), 'utf8');
    expect(text).toMatch(/^[\x20-\x7e]+\n$/);
    expect(JSON.parse(text).summary).toBe('é\u2028\u0085\ud800 \n x');
  });

  it('loses only the torn line after a crash', async () => {
    const directory = tempDir();
    appendFindings(target(directory), [finding({ tick_index: 1 }), finding({ tick_index: 2 })]);
    const path = findingsPath(directory, 's');
    truncateSync(path, readFileSync(path).length - 20);
    appendFindings(target(directory), [finding({ tick_index: 3 })]);
    const lines = await readAll([path]);
    expect(lines.map((line) => (line.ok ? line.finding.tick_index : line.reason))).toEqual([
      1,
      'not JSON',
      3,
    ]);
  });

  it('keeps a finding whose evidence is too long, and says that it was cut', () => {
    const directory = tempDir();
    const evidence = { log: 'x'.repeat(60_000), small: 1 };
    const intents = [{ intent_type: 'alert', payload: { severity: 'high', detail: { evidence } } }];
    appendFindings(target(directory), [finding({ evidence, intents })]);
    const line = readFileSync(findingsPath(directory, 's'), 'utf8');
    expect(line.length).toBeLessThanOrEqual(MAX_FINDING_BYTES + 1);
    const parsed = JSON.parse(line);
    expect(parsed.evidence).toMatchObject({ truncated: true, small: 1 });
    expect(parsed.intents[0].payload.detail.evidence.truncated).toBe(true);
  });

  it('is rotated when it is large, by the holder of the lock alone', async () => {
    const path = join(tempDir(), 'f.jsonl');
    writeFileSync(path, 'old\n');
    appendLines(path, ['a'], { rotateAt: 3, mayRotate: false });
    expect(readFileSync(path, 'utf8')).toBe('old\na\n');
    appendLines(path, ['b'], { rotateAt: 3, mayRotate: true });
    expect(readFileSync(path, 'utf8')).toBe('b\n');
    expect(readFileSync(path.replace('.jsonl', '.1.jsonl'), 'utf8')).toBe('old\na\n');
  });

  it('says why it could not be written', () => {
    const directory = tempDir();
    mkdirSync(findingsPath(directory, 's'), { recursive: true });
    expect(appendFindings(target(directory), [finding()])?.code).toBe('EISDIR');
  });
});

describe('the reader', () => {
  it('skips what is no finding and goes on', async () => {
    const path = join(tempDir(), 'x.jsonl');
    mkdirSync(dirname(path), { recursive: true });
    appendFileSync(
      path,
      `\n[1]\n{"severity": "high"}\n{"symptom_name": "a", "severity": "HIGH"}\n${'y'.repeat(2 ** 20 + 5)}\n`,
    );
    appendFileSync(path, JSON.stringify(finding()));
    const lines = await readAll([path]);
    expect(lines.map((line) => (line.ok ? 'finding' : line.reason))).toEqual([
      'no object',
      'no symptom_name',
      'unknown severity',
      expect.stringContaining('longer than'),
      'finding',
    ]);
  });

  it('reads a rotated file before the current one, and knows the ids', async () => {
    const directory = tempDir();
    appendFindings(target(directory), [finding({ tick_index: 2 })]);
    const current = findingsPath(directory, 's');
    writeFileSync(current.replace('.jsonl', '.1.jsonl'), `${JSON.stringify(finding({ tick_index: 1 }))}\n`);
    const lines = await readAll(findingsFiles(directory, 's'));
    expect(lines.map((line) => line.ok && line.finding.tick_index)).toEqual([1, 2]);
    expect(findingsIds(directory)).toEqual(['s']);
  });
});
