import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadTraces, TracePathError } from '../../../src/rx/trace/load.js';
import { formatProblem, TraceLimitError } from '../../../src/rx/trace/trace-error.js';

let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'rx-trace-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

async function file(name: string, content: string | Buffer): Promise<string> {
  const path = join(dir, name);
  await writeFile(path, content);
  return path;
}

function row(patch: Record<string, unknown> = {}): string {
  return JSON.stringify({
    event_id: '',
    run_id: 'r',
    turn: 1,
    agent_id: 'a',
    action_succeeded: false,
    ...patch,
  });
}

describe('loadTraces on NDJSON', () => {
  it('loads the recorded trace without a problem', async () => {
    const loaded = await loadTraces(['tests/fixtures/rx/trace-seed.ndjson']);
    expect(loaded.problems.total).toBe(0);
    expect(loaded.table.size).toBe(720);
    expect(loaded.table.runs).toHaveLength(12);
    expect(loaded.table.failures / loaded.table.size).toBe(0.4666666666666667);
  });

  it('isolates every malformed line and names its number and field', async () => {
    const path = await file(
      'bad.ndjson',
      Buffer.concat([
        Buffer.from([0xef, 0xbb, 0xbf]),
        Buffer.from(`${row()}\n\n   \n{broken\n[1]\n${row({ turn: null })}\n`),
        Buffer.from([0x22, 0xff, 0xfe, 0x22, 0x0a]),
        Buffer.from(`${row({ latency_ms: 'x' })}\r\n${row({ turn: 2 })}`),
      ]),
    );
    const { table, problems } = await loadTraces([path]);
    expect(table.size).toBe(2);
    expect(problems.listed.map((p) => [p.line, p.field, p.reason])).toEqual([
      [4, '', 'not valid JSON'],
      [5, '', 'expected an object, got an array'],
      [6, 'turn', 'expected an integer, got null'],
      [7, '', 'invalid UTF-8'],
      [8, 'latency_ms', 'expected a finite number of at least 0, got the text "x"'],
    ]);
    const [first] = problems.listed;
    expect(first && formatProblem(first)).toBe(`${path}:4: not valid JSON`);
  });

  it('skips a line of more than 1 MiB without losing the next', async () => {
    const path = await file(
      'long.ndjson',
      `${row()}\n${row({ agent_id: 'x'.repeat(1 << 20) })}\n${row({ turn: 5 })}\n`,
    );
    const { table, problems } = await loadTraces([path]);
    expect(table.size).toBe(2);
    expect(problems.listed).toMatchObject([{ line: 2, reason: 'longer than 1048576 bytes' }]);
  });

  it('lists the first hundred problems and counts the others', async () => {
    const path = await file('many.ndjson', 'x\n'.repeat(250));
    const { problems } = await loadTraces([path]);
    expect(problems.listed).toHaveLength(100);
    expect(problems.total).toBe(250);
  });

  it('refuses more events than the cap', async () => {
    const path = await file('cap.ndjson', `${row()}\n${row()}\n${row()}\n`);
    await expect(loadTraces([path], { max_events: 2 })).rejects.toBeInstanceOf(TraceLimitError);
  });

  it('reads the direct .ndjson and .jsonl files of a directory in order of path', async () => {
    const nested = join(dir, 'batch');
    await mkdir(join(nested, 'deeper'), { recursive: true });
    await writeFile(join(nested, 'b.jsonl'), row({ run_id: 'b' }));
    await writeFile(join(nested, 'a.ndjson'), row({ run_id: 'a' }));
    await writeFile(join(nested, 'notes.txt'), 'not a trace');
    await writeFile(join(nested, 'deeper', 'c.ndjson'), row({ run_id: 'c' }));
    expect((await loadTraces([nested])).table.runs).toEqual(['a', 'b']);
  });

  it('refuses a path that does not exist', async () => {
    await expect(loadTraces([join(dir, 'absent')])).rejects.toBeInstanceOf(TracePathError);
  });
});

describe('event identity', () => {
  it('replaces a repeated event id within a file and counts it', async () => {
    const path = await file(
      'twice.ndjson',
      `${row({ event_id: 'e' })}\n${row({ event_id: 'e', action_succeeded: true })}\n`,
    );
    const { table, replaced } = await loadTraces([path]);
    expect([table.size, table.failures, replaced]).toEqual([1, 0, 1]);
  });

  it('keeps runs of two files apart when their event ids collide', async () => {
    const a = await file('one.ndjson', row({ event_id: 'e' }));
    const b = await file('two.ndjson', `${row({ event_id: 'f' })}\n${row({ event_id: 'e' })}`);
    const loaded = await loadTraces([a, b]);
    expect(loaded.separated_runs).toEqual(['r']);
    expect(loaded.table.runs).toEqual([`r@${a}`, `r@${b}`]);
    expect(loaded.table.size).toBe(3);
  });

  it('joins two files that hold parts of one run', async () => {
    const a = await file('part1.ndjson', row({ event_id: 'e1' }));
    const b = await file('part2.ndjson', row({ event_id: 'e2', turn: 2 }));
    expect((await loadTraces([a, b])).table.runs).toEqual(['r']);
  });
});
