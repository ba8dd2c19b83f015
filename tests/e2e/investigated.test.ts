import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli } from '../support/cli.js';
import { tempDir } from '../support/temp-dir.js';
import { requestFiles } from '../support/tick-request.js';

describe('a HIGH finding of a tick', () => {
  it('is investigated without a model, and named by the next finding of its kind', async () => {
    const sessionDir = tempDir();
    const tick = async (number: number) => {
      const options = { cooldown_ticks: 0 };
      const { request, out } = requestFiles(sessionDir, { sessionDir, tick: number, options });
      await runCli(['tick', '--request', request, '--out', out]);
      const lines = readFileSync(join(sessionDir, 'agents/robustness/findings/s.jsonl'), 'utf8')
        .trim()
        .split('\n');
      return { ...JSON.parse(lines.at(-1) ?? ''), emit: JSON.parse(readFileSync(out, 'utf8')) };
    };
    const first = await tick(1);
    expect(first).not.toHaveProperty('investigation_id');
    expect(JSON.stringify(first.emit)).not.toContain('investigation');
    const worker = await runCli(['investigate', '--watch', '--once', '--session-dir', sessionDir]);
    expect(worker.code).toBe(0);
    const { investigation_id: id, emit, intents } = await tick(2);
    expect(id).toMatch(/^\S+$/);
    const [alert] = emit.intent_envelope.intents;
    expect(alert).toMatchObject({
      intent_type: 'alert',
      payload: { detail: { symptom: 'crash_count_high', investigation: { investigation_id: id } } },
    });
    expect(Object.keys(alert.payload.detail.investigation)).toEqual([
      'investigation_id',
      'error_type',
      'confidence',
      'confidence_level',
      'subject',
    ]);
    expect(intents[0]).toEqual(alert);
    const shown = await runCli(['investigate', 'show', id, '--session-dir', sessionDir, '--json']);
    expect(shown.code).toBe(0);
    expect(JSON.stringify(JSON.parse(shown.stdout))).toContain(id);
  });
});
