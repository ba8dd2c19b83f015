import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCli } from '../support/cli.js';
import { anthropicMessage, completion, type Play, startProvider } from '../support/provider-server.js';
import { tempDir } from '../support/temp-dir.js';
import { requestFiles } from '../support/tick-request.js';

const SECRET = 'sk-canary0123456789abcdef';

async function tickWith(script: readonly Play[], options: Record<string, unknown> = {}, provider = 'openai') {
  const server = await startProvider(script);
  onTestFinished(() => server.close());
  const sessionDir = tempDir();
  const env: Record<string, string> =
    provider === 'openai'
      ? { OPENAI_API_KEY: SECRET, OPENAI_BASE_URL: `${server.origin}/v1`, OPENAI_MODEL: 'm-1' }
      : { ANTHROPIC_API_KEY: SECRET, ANTHROPIC_BASE_URL: server.origin, ANTHROPIC_MODEL: 'm-1' };
  const files = requestFiles(sessionDir, { sessionDir, options: { llm_rca_enabled: true, ...options } });
  /** The answer as it stood while the provider had the question. */
  let early: unknown;
  void server.arrived(1).then(() => {
    early = existsSync(files.out) ? JSON.parse(readFileSync(files.out, 'utf8')) : undefined;
  });
  const startedAt = performance.now();
  const run = await runCli(['tick', '--request', files.request, '--out', files.out], { env });
  const finding = JSON.parse(readFileSync(join(sessionDir, 'agents/robustness/findings/s.jsonl'), 'utf8'));
  return {
    ...run,
    ms: performance.now() - startedAt,
    emit: JSON.parse(readFileSync(files.out, 'utf8')),
    early,
    finding,
    server,
    sessionDir,
  };
}

const alertIn = (emit: { intent_envelope: { intents: { intent_type: string }[] } }) =>
  emit.intent_envelope.intents[0]?.intent_type;

describe('root causes in a tick', () => {
  it.each(['openai', 'anthropic'])(
    'go into the finding and the usage into the answer, with %s',
    async (provider) => {
      const text = 'The baseline configuration crashes.\ncause: config';
      const play =
        provider === 'openai'
          ? completion({ role: 'assistant', content: text })
          : anthropicMessage([{ type: 'text', text }]);
      const { code, emit, finding, early, stdout, server } = await tickWith([play], {}, provider);
      expect(code).toBe(0);
      expect(finding.rca_text).toContain('The baseline configuration crashes.');
      expect(emit.llm_usage).toMatchObject({ calls: 1, model: 'm-1' });
      expect(JSON.parse(stdout)).toEqual(emit);
      // The intents were out before the model answered.
      expect(alertIn(early as typeof emit)).toBe('alert');
      expect(early).not.toHaveProperty('llm_usage');
      for (const request of server.requests) expect(request.text).not.toContain(SECRET);
    },
  );

  it.each<[string, Play]>([
    ['hangs', 'hang'],
    ['stalls in the middle', 'stall'],
    ['hangs up', 'reset'],
    ['refuses', { status: 401, body: { error: { message: 'no such key' } } }],
    ['is overloaded', { status: 529, body: { error: { type: 'overloaded_error' } } }],
    ['asks to wait', { status: 429, headers: { 'retry-after': '3600' }, body: { error: 'later' } }],
    ['answers with a page', { status: 502, body: '<html>bad gateway</html>' }],
    ['has no choices', { body: { choices: [] } }],
    ['lies about its type', { body: [1, 2, 3] }],
  ])('a provider that %s costs no intent and no finding', async (_, play) => {
    const { code, emit, finding, ms } = await tickWith([play], { rca_budget_s: 1.5, tick_deadline_s: 15 });
    expect(code).toBe(0);
    expect(alertIn(emit)).toBe('alert');
    expect(finding).toMatchObject({ symptom_name: 'crash_count_high', rca_text: '' });
    expect(ms).toBeLessThan(15_000);
  });

  it('are announced once per session, with the way to turn them off', async () => {
    const play = completion({ role: 'assistant', content: 'x' });
    const { stderr, sessionDir, server } = await tickWith([play]);
    expect(stderr).toContain('ROBUSTNESS_LLM_RCA_DISABLED');
    const files = requestFiles(sessionDir, { sessionDir, tick: 2, options: { llm_rca_enabled: true } });
    const env = { OPENAI_API_KEY: SECRET, OPENAI_BASE_URL: `${server.origin}/v1` };
    const second = await runCli(['tick', '--request', files.request, '--out', files.out], { env });
    expect(second.stderr).toBe('');
  });

  it('are off when the operator says so, and nothing is sent', async () => {
    const play = completion({ role: 'assistant', content: 'x' });
    const { server, finding } = await tickWith([play], { llm_rca_enabled: false });
    expect(server.requests).toEqual([]);
    expect(finding.rca_text).toBe('');
  });
});
