import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordTool, replayTool } from '../../../src/investigate/replay/tools.js';
import { DEFAULT_THRESHOLDS } from '../../../src/investigate/tools/session/abnormal.js';
import { systemSnapshot } from '../../../src/investigate/tools/session/system-snapshot.js';
import type { Tool, ToolContext } from '../../../src/investigate/tools/tool.js';
import { type CassetteReader, createCassette, readCassette } from '../../../src/llm/cassette.js';
import { healthyReading, INCIDENT } from '../session/build-session.js';

const context: ToolContext = {
  clean: (line) => line,
  signal: new AbortController().signal,
  now: () => INCIDENT,
};
const HEADER = { created_unix: INCIDENT, mode: 'investigate', versions: {} };

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tools-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Uses a tool while it is recorded; gives the cassette. */
async function recorded(tool: Tool, ...calls: Parameters<Tool['run']>[0][]) {
  const path = join(directory, 'run.jsonl');
  const writer = createCassette(path, HEADER, (text) => text);
  if (!writer.ok) throw new Error(writer.problem);
  const outcomes = [];
  for (const args of calls) outcomes.push(await recordTool(tool, writer.value).run(args, context));
  const source = readFileSync(path, 'utf8');
  const reader = readCassette(source);
  if (!reader.ok) throw new Error(reader.problem);
  const again = (cassette: CassetteReader = reader.value): Tool => replayTool(tool, cassette);
  return { outcomes, source, reader: reader.value, again };
}

const snapshot = (read: () => Promise<ReturnType<typeof healthyReading>>): Tool =>
  systemSnapshot(read, DEFAULT_THRESHOLDS, INCIDENT, 300);

describe('a recorded tool', () => {
  it('gives a reading of the machine back, as an entry of its own kind', async () => {
    let taken = 0;
    const tool = snapshot(async () => {
      taken += 1;
      return healthyReading({ taken_unix: INCIDENT + taken, disk: { '/data': { used_pct: 99 } } });
    });
    const { outcomes, source, again } = await recorded(tool, {}, {}, { parts: ['disk'] });
    expect(source.match(/"kind":"snapshot"/g)).toHaveLength(3);
    const replayed = again();
    const seen = [];
    for (const args of [{}, {}, { parts: ['disk'] }]) seen.push(await replayed.run(args, context));
    expect(JSON.stringify(seen)).toBe(JSON.stringify(outcomes));
    expect(outcomes[0]?.items).toMatchObject([{ kind: 'disk' }]);
    expect(taken).toBe(3);
  });

  it('that breaks gives the same failure again', async () => {
    const { outcomes, again } = await recorded(
      snapshot(async () => {
        throw new Error('the probe broke');
      }),
      {},
    );
    expect(outcomes[0]).toMatchObject({ status: 'error', note: 'the tool failed: the probe broke' });
    expect(await again().run({}, context)).toEqual(outcomes[0]);
  });

  it('misses what was not recorded, and says so', async () => {
    const { again, reader } = await recorded(
      snapshot(async () => healthyReading()),
      {},
    );
    expect(await again().run({ parts: ['gpu'] }, context)).toMatchObject({ status: 'replay_miss' });
    expect(reader.misses()).toEqual(['snapshot system_snapshot [["parts",["gpu"]]]']);
  });

  it('misses an entry that is no outcome', async () => {
    const { source, again } = await recorded(
      snapshot(async () => healthyReading()),
      {},
    );
    const broken = readCassette(source.replace('"status":"ok"', '"status":5'));
    if (!broken.ok) throw new Error(broken.problem);
    expect(await again(broken.value).run({}, context)).toMatchObject({ status: 'replay_miss' });
  });
});
