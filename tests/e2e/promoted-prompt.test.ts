import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../src/selfedit/store/open-store.js';
import { runCli } from '../support/cli.js';
import {
  ANSWER,
  promote,
  promotedTick,
  promotedWorld,
  RULE,
  systemOf,
  tracesIn,
} from '../support/promoted-world.js';
import { tempDir } from '../support/temp-dir.js';

const BUILT_IN = 'You explain why something went wrong';
const NOT_PROMOTED = 'the built-in prompt rca is used, not the promoted one';

describe('a promoted RCA prompt in a tick (spec 08 §21)', () => {
  it('is what the provider gets; the class is taken off the answer; the call leaves a trace', async () => {
    const here = await promotedWorld({ enabled: true });
    const text = await promote(here);
    const { code, stderr, finding } = await promotedTick(here);
    expect(code).toBe(0);
    expect(stderr).not.toContain(NOT_PROMOTED);
    expect(systemOf(here.requests[0])).toBe(text);
    expect(finding).toMatchObject({
      rca_text: 'The configuration crashes at once.',
      rca_class: 'crash_loop',
    });
    expect(tracesIn(here.state)).toMatchObject([
      {
        prompt_id: 'rca',
        prompt_version: 2,
        session_id: 's',
        task_id: finding.symptom_name,
        final_output: ANSWER,
        error: null,
      },
    ]);
  });

  it.each<[string, (registry: string) => void, string]>([
    [
      'the text was changed',
      (registry) => writeFileSync(join(registry, 'v2.md'), 'Obey the log.'),
      'hash differs',
    ],
    ['the text is gone', (registry) => rmSync(join(registry, 'v2.md')), 'v2.md is missing'],
    [
      'the pointer is torn',
      (registry) => writeFileSync(join(registry, 'current.json'), '{"version": 2, "sha'),
      'no JSON object',
    ],
    [
      'the pointer was changed',
      (registry) => writeFileSync(join(registry, 'current.json'), '{"version": 1, "sha256": "00"}'),
      'hash differs',
    ],
    ['the pointer is gone', (registry) => rmSync(join(registry, 'current.json')), 'current.json is missing'],
  ])('gives way to the built-in one when %s, said once (spec 08 §26.10)', async (_what, spoil, words) => {
    const here = await promotedWorld({ enabled: true });
    await promote(here);
    spoil(join(here.state, 'selfedit/registry/rca'));
    const first = await promotedTick(here, 1);
    const second = await promotedTick(here, 2);
    for (const one of [first, second]) {
      expect(one.code).toBe(0);
      expect(one.finding.rca_class).toBe('crash_loop');
    }
    expect(second.findings).toBeGreaterThan(first.findings);
    expect(here.requests).toHaveLength(2);
    for (const request of here.requests) {
      expect(systemOf(request)).toContain(BUILT_IN);
      expect(systemOf(request)).not.toContain(RULE);
    }
    expect(first.stderr).toContain(NOT_PROMOTED);
    expect(first.stderr).toContain(words);
    expect(second.stderr).not.toContain(NOT_PROMOTED);
    expect(tracesIn(here.state)).toMatchObject([{ prompt_version: null }, { prompt_version: null }]);
  });

  it.each<[string, object | undefined]>([
    ['switched off', { enabled: false }],
    ['not mentioned', undefined],
    ['switched on by something else than true', { enabled: 'yes' }],
  ])('is not looked at where selfedit is %s, and no file is touched', async (_what, selfedit) => {
    const here = await promotedWorld({ enabled: true });
    await promote(here);
    rmSync(join(here.sessionDir, 'robustness.config.json'));
    if (selfedit !== undefined)
      writeFileSync(join(here.sessionDir, 'robustness.config.json'), JSON.stringify({ selfedit }));
    const { code, stderr } = await promotedTick(here);
    expect(code).toBe(0);
    expect(stderr).not.toContain(NOT_PROMOTED);
    expect(systemOf(here.requests[0])).not.toContain(RULE);
    expect(existsSync(join(here.state, 'selfedit/selfedit.db'))).toBe(false);
  });

  it('is used by the standalone loop, too', async () => {
    const here = await promotedWorld({ enabled: true });
    const text = await promote(here);
    writeFileSync(join(here.sessionDir, 'state.json'), JSON.stringify({ crash_count: 6 }));
    const env = {
      ...here.env,
      ROBUSTNESS_DISABLE_LOCAL_PROBE: 'true',
      ROBUSTNESS_EXTERNAL_DEPS_ENABLED: 'false',
    };
    const { code } = await runCli(['run', '--session-dir', here.sessionDir, '--ticks', '1'], { env });
    expect(code).toBe(0);
    expect(systemOf(here.requests[0])).toBe(text);
    expect(tracesIn(here.state)).toMatchObject([{ prompt_version: 2 }]);
  });
});

describe('the trace store of a tick', () => {
  it.each<[string, (path: string) => () => void]>([
    [
      'broken',
      (path) => {
        writeFileSync(path, 'x'.repeat(8192));
        return () => undefined;
      },
    ],
    [
      'locked',
      (path) => {
        const db = new Database(path);
        db.exec('BEGIN EXCLUSIVE');
        return () => db.close();
      },
    ],
  ])('costs a tick nothing but the trace when it is %s', async (_what, spoil) => {
    const good = await promotedWorld({ enabled: true });
    await promote(good);
    const bad = await promotedWorld({ enabled: true });
    await promote(bad);
    const release = spoil(join(bad.state, 'selfedit/selfedit.db'));
    const [one, other] = [await promotedTick(good), await promotedTick(bad)];
    release();
    expect(other.code).toBe(0);
    const told = ({ intent_envelope }: { intent_envelope: object }) =>
      JSON.stringify(intent_envelope).replaceAll(good.sessionDir, '').replaceAll(bad.sessionDir, '');
    expect(told(other.emit)).toBe(told(one.emit));
    expect(other.finding).toMatchObject({
      rca_text: one.finding.rca_text,
      rca_class: one.finding.rca_class,
      symptom_name: one.finding.symptom_name,
    });
    expect(one.stderr).not.toContain('traces of this tick are lost');
    expect(other.stderr).toContain('traces of this tick are lost');
  });

  it.runIf(existsSync('/proc/self/io'))(
    'is not read: a hundred thousand rows are no more bytes to read or write (spec 08 §26.12)',
    async () => {
      const hook = join(tempDir(), 'count.cjs');
      writeFileSync(
        hook,
        `const { readFileSync, writeFileSync } = require('node:fs');
process.on('exit', () => writeFileSync(process.env.COUNT_INTO, readFileSync('/proc/self/io', 'utf8')));`,
      );
      const counted = async (rows: number) => {
        const here = await promotedWorld({ enabled: true });
        await promote(here);
        await fill(join(here.state, 'selfedit/selfedit.db'), rows);
        const into = join(tempDir(), 'io');
        const { code } = await promotedTick(here, 1, { NODE_OPTIONS: `--require ${hook}`, COUNT_INTO: into });
        expect(code).toBe(0);
        expect(tracesIn(here.state)).toHaveLength(rows + 1);
        const text = readFileSync(into, 'utf8');
        const figure = (name: string): number => Number(new RegExp(`^${name}: (\\d+)`, 'm').exec(text)?.[1]);
        const { size } = statSync(join(here.state, 'selfedit/selfedit.db'));
        return { size, read: figure('rchar'), written: figure('wchar') };
      };
      const [few, many] = [await counted(10), await counted(100_000)];
      // Five trees, each deeper by a page or two, some of whose pages split: far from what one scan would read.
      expect(many.size).toBeGreaterThan(16 * 1024 * 1024);
      expect(many.read - few.read).toBeLessThan(512 * 1024);
      expect(many.written - few.written).toBeLessThan(512 * 1024);
    },
  );
});

async function fill(path: string, rows: number): Promise<void> {
  const opened = await openStore(path);
  if (!opened.ok) throw new Error(opened.problem);
  opened.db.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
    INSERT INTO traces (trace_uid, prompt_id, task_id, task_input, final_output, timestamp)
    SELECT hex(randomblob(16)), 'rca', 't', 'some input of a call', 'some output', strftime('%Y-%m-%dT%H:%M:%fZ', 'now') FROM n`);
  opened.db.close();
}
