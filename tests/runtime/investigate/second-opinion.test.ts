import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { run } from '../../../src/runtime/investigate.js';
import { buildSession, stamp } from '../../investigate/session/build-session.js';
import { completion, type Play, type SeenRequest, startProvider } from '../../support/provider-server.js';

const call = (name: string, args: unknown): Play =>
  completion(
    {
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name, arguments: JSON.stringify(args) } }],
    },
    { finish_reason: 'tool_calls' },
  );

/** A claim that log and failed task support to medium, and a judge who will have none of it. */
function play({ body, text }: SeenRequest): Play {
  if (body['model'] === 'judge') {
    return call('verdict', { decision: 'downgrade', target_band: 'low', reason: 'one line is little' });
  }
  const lead = /HIP out of memory\\" \[(r\d{3})/.exec(text)?.[1] ?? 'r001';
  const claims = [{ text: 'it ran out', receipt_ids: [lead], quote: 'HIP out of memory' }];
  const cause = { description: 'it ran out of memory', confidence: 0.7, error_type: 'oom', claims };
  return call('submit_result', { issue_summary: 'it died', root_cause: cause, recommended_fix: 'less' });
}

async function world() {
  const at = Date.now() / 1000;
  const session = buildSession({
    files: { 'runs/explore/t-12/server.log': `${stamp(at - 5)} HIP out of memory\n` },
    tasks: [{ id: 't-12', state: 'failed', at: at - 3 }],
    mtime: at,
  });
  const provider = await startProvider(play);
  onTestFinished(async () => {
    session.close();
    await provider.close();
  });
  const ask = async (argv: readonly string[], env: Record<string, string>) => {
    const texts = { out: '', err: '' };
    const sink = (name: 'out' | 'err') =>
      new Writable({
        write(chunk, _encoding, done) {
          texts[name] += String(chunk);
          done();
        },
      });
    const io = {
      env: { PATH: process.env['PATH'], ROBUSTNESS_DISABLE_LOCAL_PROBE: '1', ...env },
      cwd: session.directory,
      stdin: new PassThrough(),
      stdout: sink('out'),
      stderr: sink('err'),
    };
    await run([...argv, '--json', '--out', join(session.directory, 'out')], io);
    return JSON.parse(texts.out);
  };
  const live = {
    OPENAI_API_KEY: 'sk-test-0123456789',
    OPENAI_BASE_URL: `${provider.origin}/v1`,
    INVESTIGATE_MODEL: 'detective',
    INVESTIGATE_VERIFIER_ENABLED: 'true',
    INVESTIGATE_VERIFIER_MODEL: 'judge',
  };
  const models = () => provider.requests.map(({ body }) => body['model']);
  return { directory: session.directory, ask, live, models };
}

describe('a second opinion of another model', () => {
  it('is asked for at the same provider, and is in a recording as well', async () => {
    const { directory, ask, live, models } = await world();
    const tape = join(directory, 'tape.jsonl');
    const words = ['the server died', '--session-dir', directory];
    const result = await ask([...words, '--record', tape], live);
    expect(models()).toEqual(['detective', 'judge']);
    expect(result).toMatchObject({
      mode: 'llm',
      supported_band: 'medium',
      root_cause: { confidence_level: 'low' },
      budget: { model_requests: 2 },
    });
    const again = await ask(['--replay', tape], live);
    expect(models()).toHaveLength(2);
    expect(again).toEqual(result);
  });

  it('of a model without a price is left out where costs are limited; the other one is asked', async () => {
    const { directory, ask, live, models } = await world();
    const limits = { INVESTIGATE_MAX_COST_USD: '1', INVESTIGATE_PRICES: 'detective=1/2' };
    const result = await ask(['the server died', '--session-dir', directory], { ...live, ...limits });
    expect(models()).toEqual(['detective']);
    expect(result.root_cause.confidence_level).toBe('medium');
    expect(result.warnings.join()).toMatch(/the model judge was not asked: its price is not known/);
  });

  it('and the first one are both left out without prices', async () => {
    const { directory, ask, live, models } = await world();
    const words = ['the server died', '--session-dir', directory];
    const result = await ask(words, { ...live, INVESTIGATE_MAX_COST_USD: '1' });
    expect(models()).toEqual([]);
    expect(result).toMatchObject({ mode: 'deterministic', root_cause: { error_type: 'oom' } });
    expect(result.warnings.join()).toMatch(/the model detective was not asked: its price is not known/);
  });
});
