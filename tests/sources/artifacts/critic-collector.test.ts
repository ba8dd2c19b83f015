import { rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type JsonObject, objectOr, objectsOf } from '../../../src/foreign/json.js';
import { criticCollector } from '../../../src/sources/artifacts/critic-collector.js';
import { emittedVerdicts, judgeBundle } from '../../../src/sources/artifacts/judge-bundle.js';
import { collect, type EnvChanges } from '../support/collector-env.js';
import { temporaryDirectory, writeTree } from '../support/tree.js';

/** A work directory whose bundles have the given ages; later in the list is older. */
function workdir(turns: readonly (readonly [name: string, bundle: string | null, emit?: string])[]): string {
  const sessionDir = writeTree(temporaryDirectory(), { 'critic-workdir/': '' });
  for (const [index, [name, bundle, emit]] of turns.entries()) {
    writeTree(sessionDir, { [`critic-workdir/${name}/`]: '' });
    if (emit !== undefined) writeTree(sessionDir, { [`critic-workdir/${name}/emit.json`]: emit });
    if (bundle === null) continue;
    const path = join(sessionDir, 'critic-workdir', name, 'judge_bundle.json');
    writeFileSync(path, bundle);
    utimesSync(path, 1000 - index, 1000 - index);
  }
  return sessionDir;
}

async function look(sessionDir: string, changes: EnvChanges = {}) {
  const answer = await collect(criticCollector, { sessionDir, ...changes });
  const slot = objectOr(answer.slots.local_critic_health);
  return { answer, slot, judges: objectsOf(slot['recent_judges']) };
}

const verdict = (source: string | undefined) => ({
  type: 'review_verdict',
  payload: { target_proposal_msg_id: 'm1', verdict: 'approved', ...(source === undefined ? {} : { source }) },
});
const emitOf = (...intents: JsonObject[]) => JSON.stringify({ intent_envelope: { intents } });

describe('the critic', () => {
  it('lists the newest turns by the age of their bundles: the numbers restart at a resume', async () => {
    const sessionDir = workdir([
      ['000001', '{"kb_read_skipped_reason": "kb_unreachable", "proposals": [1, 2]}'],
      ['abc', '{"kb_priors_by_proposal": {"p": []}}'],
      ['000050', '{"required_context": ["a", "b"]}'],
      ['000009', 'broken'],
      ['000011', null],
    ]);
    const { slot, judges } = await look(sessionDir);
    expect(slot['workdir_count']).toBe(5);
    expect(slot['workdir_root']).toBe(join(sessionDir, 'critic-workdir'));
    expect(judges).toMatchObject([
      { turn_dir: '000001', kb_read_skipped_reason: 'kb_unreachable', proposal_count: 2, mtime: 1000 },
      { turn_dir: 'abc', kb_read_skipped_reason: null, proposal_count: 1, required_context: [] },
      { turn_dir: '000050', required_context: ['a', 'b'], proposal_count: 0 },
    ]);
  });

  it('does not waste its cap on turns without a valid bundle', async () => {
    const sessionDir = workdir([
      ['000004', null],
      ['000003', '[]'],
      ['000002', '{}'],
      ['000001', '{}'],
    ]);
    const { judges } = await look(sessionDir, { config: { critic_health_max_judge_bundles: 1 } });
    expect(judges.map((judge) => judge['turn_dir'])).toEqual(['000002']);
  });

  it('tells what was sent, and by which source', async () => {
    const sessionDir = workdir([
      ['000001', '{}', emitOf(verdict('critic_unavailable'), verdict('critic_unavailable'))],
    ]);
    expect((await look(sessionDir)).judges[0]).toMatchObject({
      emit_source: 'critic_unavailable',
      verdicts: [
        { target_proposal_msg_id: 'm1', verdict: 'approved', source: 'critic_unavailable' },
        { target_proposal_msg_id: 'm1', verdict: 'approved', source: 'critic_unavailable' },
      ],
    });
  });

  it('reads a turn again only when it has changed, or was not finished', async () => {
    const sessionDir = workdir([
      ['000002', '{}'],
      ['000001', '{}', emitOf(verdict('critic'))],
    ]);
    const first = await look(sessionDir);
    const cache = first.answer.cache ?? {};
    writeTree(sessionDir, { 'critic-workdir/000002/emit.json': emitOf(verdict('mock')) });
    rmSync(join(sessionDir, 'critic-workdir/000001/emit.json'));
    const second = await look(sessionDir, { cache });
    expect(second.judges.map((judge) => judge['emit_source'])).toEqual(['mock', 'critic']);
  });

  it('is empty without a work directory and does not follow a bundle out of the session', async () => {
    expect((await look(temporaryDirectory())).answer.verdicts.critic).toMatchObject({
      status: 'empty',
      reason: 'missing',
    });
    const outside = writeTree(temporaryDirectory(), { 'x.json': '{}' });
    const sessionDir = workdir([['000001', null]]);
    symlinkSync(join(outside, 'x.json'), join(sessionDir, 'critic-workdir/000001/judge_bundle.json'));
    expect((await look(sessionDir)).judges).toEqual([]);
  });
});

describe('a bundle', () => {
  it.each([[3], [true], ['abc'], [[1, 'a']], [null]])('with required_context %j has none', (value) => {
    expect(judgeBundle({ required_context: value }).required_context).toEqual([]);
  });
});

describe('what a critic sent', () => {
  it.each([
    [[], null],
    [[verdict('critic'), verdict('mock')], null],
    [[verdict(undefined)], null],
    [[{ type: 'alert', payload: { source: 'critic' } }], null],
    [[verdict('timeout')], 'timeout'],
  ])('%j has the source %j', (intents, source) => {
    expect(emittedVerdicts({ intent_envelope: { intents } }).emit_source).toBe(source);
  });
});
