import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { objectOr } from '../../src/foreign/json.js';
import { runCli } from '../support/cli.js';
import { violations } from '../support/schemas.js';
import { requestFiles } from '../support/tick-request.js';

const jsonAt = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
const linesAt = (path: string): unknown[] =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('what a whole session leaves behind satisfies the schemas', () => {
  let parent = '';
  let session = '';
  let turns: string[] = [];

  beforeAll(async () => {
    parent = mkdtempSync(join(tmpdir(), 'ra-schemas-'));
    const demo = await runCli(['demo', '--dir', parent]);
    session = /^session\s+(.*)$/m.exec(demo.stdout)?.[1] ?? '';
    const workdir = join(session, 'robustness-workdir');
    turns = readdirSync(workdir).map((turn) => join(workdir, turn));
  });
  afterAll(() => rmSync(parent, { recursive: true, force: true }));

  const own = (...parts: string[]) => join(session, 'agents', 'robustness', ...parts);

  it.each([
    ['request.json', 'request'],
    ['emit.json', 'emit'],
    ['signal.json', 'notes'],
    ['action.json', 'notes'],
  ])('%s of every turn', (file, schema) => {
    expect(turns.length).toBeGreaterThan(8);
    for (const turn of turns) expect(violations(schema, jsonAt(join(turn, file)))).toEqual([]);
  });

  it.each([
    ['findings', 'finding'],
    ['presence', 'presence'],
  ])('every line of the %s', (directory, schema) => {
    const lines = linesAt(own(directory, 'demo.jsonl'));
    expect(lines.length).toBeGreaterThan(4);
    for (const line of lines) expect(violations(schema, line)).toEqual([]);
  });

  it('the detector state', () => {
    const state = objectOr(jsonAt(own('detector_state.json')));
    expect(Object.keys(state)).toContain('action_ladder');
    expect(violations('detector-state', state)).toEqual([]);
  });

  it('the detector state of the standalone loop', async () => {
    await runCli(['run', '--session-dir', session, '--ticks', '1']);
    expect(violations('detector-state', jsonAt(own('detector_state.run.json')))).toEqual([]);
  });

  it('a recording', async () => {
    const file = join(parent, 'recorded.jsonl');
    for (const tick of [100, 101]) {
      const { request, out } = requestFiles(session, { sessionDir: session, tick });
      await runCli(['tick', '--request', request, '--out', out, '--record', file]);
    }
    const lines = linesAt(file);
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(violations('recording', line)).toEqual([]);
    expect(lines.map((line) => Object.keys(objectOr(line)).includes('state'))).toEqual([true, false]);
  });

  it('silences', async () => {
    const silence = ['silence', 'add', 'disk_pressure', '--subject', 'mountpoint=/data'];
    expect((await runCli([...silence, '--session-dir', session])).code).toBe(0);
    expect(violations('silences', jsonAt(own('silences.json')))).toEqual([]);
  });

  it('the decision trace', async () => {
    expect((await runCli(['finalize', '--session-dir', session, '--session-id', 'demo'])).code).toBe(0);
    expect(violations('decision-trace', jsonAt(join(session, 'reports', 'decision_trace.json')))).toEqual([]);
  });
});
