import { afterEach, describe, expect, it } from 'vitest';
import type { RcaConfig } from '../../../src/decision/rca/config.js';
import { ruleVocabulary } from '../../../src/decision/rca/rule-vocabulary.js';
import { createRcaStep, type ExplainableFinding, RCA_SLOT } from '../../../src/decision/rca/step.js';
import { systemPrompt } from '../../../src/decision/rca/system-prompt.js';
import { RULES } from '../../../src/signals/registry.js';
import { completion, type Play, type ProviderServer, startProvider } from '../../support/provider-server.js';
import { config, notedLog, VOCABULARY } from './support.js';

let server: ProviderServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function stepAgainst(script: readonly Play[], more: Partial<RcaConfig> = {}) {
  const provider = await startProvider(script);
  server = provider;
  const env = {
    OPENAI_BASE_URL: `${provider.origin}/v1`,
    OPENAI_API_KEY: 'sk-key-for-tests',
    LLM_MODEL: 'm',
  };
  const step = createRcaStep({
    config: config(more),
    env,
    vocabulary: VOCABULARY,
    log: notedLog(),
    nowUnix: () => 100,
  });
  return { step, provider };
}

function finding(
  name: string,
  more: Partial<ExplainableFinding> = {},
): ExplainableFinding & { readonly tick_index: number } {
  return {
    tick_index: 7,
    symptom_name: name,
    severity: 'high',
    summary: 'sum',
    intents: [
      {
        intent_type: 'alert',
        payload: { severity: 'high', summary: 'sum', detail: { suggestion: 'Do this.' } },
      },
    ],
    evidence: { used_pct: 97 },
    rca_text: '',
    subject: { mount: '/' },
    ...more,
  };
}

const LIMIT = { signal: new AbortController().signal, ms: 5000, tick: 7 };

describe('the root-cause step of a tick', () => {
  it('fills text and class into the findings in place, and hands back slot and usage', async () => {
    const { step, provider } = await stepAgainst([completion({ content: 'Full.\ncause: resource_leak' })]);
    const before = finding('a_high');
    const result = await step([before, finding('b_high', { severity: 'low' })], {}, LIMIT);
    expect(result).toEqual({
      findings: [
        { ...before, rca_text: 'Full.', rca_class: 'resource_leak' },
        finding('b_high', { severity: 'low' }),
      ],
      slots: { [RCA_SLOT]: { last_called_unix: { 'a_high\u001fmount=/': 100 } } },
      usage: { input_tokens: 7, output_tokens: 3, calls: 1, latency_ms: expect.any(Number), model: 'm' },
      warnings: [],
    });
    expect(Object.keys(result.findings[0] ?? {})).toEqual([...Object.keys(before), 'rca_class']);
    expect(before.rca_text).toBe('');
    expect(provider.requests[0]?.text).toContain('suggestion: Do this.');
  });

  it('takes the keys of the ladder, and the slot of the tick before', async () => {
    const { step, provider } = await stepAgainst([completion({ content: 'x' })]);
    const first = await step([finding('a_high')], {}, LIMIT, ['a_high\u001fphase=EXPLORE']);
    expect(first.slots[RCA_SLOT]).toEqual({ last_called_unix: { 'a_high\u001fphase=EXPLORE': 100 } });
    const second = await step([finding('a_high', { subject: {} })], first.slots, { ...LIMIT, tick: 8 }, [
      'a_high\u001fphase=EXPLORE',
    ]);
    expect(second.findings[0]?.rca_text).toBe('');
    expect(second.usage).toBeUndefined();
    expect(provider.requests).toHaveLength(1);
  });

  it.each([
    { intents: [{ intent_type: 'prune_branch', payload: { family: 'x' } }] },
    { intents: [{ intent_type: 'delegate', payload: {} }] },
    { intents: [{ intent_type: 'alert', payload: { detail: { pending_action: { held_by: 'x' } } } }] },
  ])('prefers what a destructive intent rests on: %j', async (more) => {
    const { step } = await stepAgainst([completion({ content: 'x' })]);
    const { findings } = await step([finding('a_high'), finding('b_high', more)], {}, LIMIT);
    expect(findings.map(({ rca_text }) => rca_text)).toEqual(['', 'x']);
  });

  it('with no time left it asks nobody', async () => {
    const { step, provider } = await stepAgainst([completion({ content: 'x' })]);
    const result = await step([finding('a_high')], {}, { ...LIMIT, signal: AbortSignal.abort(), ms: 900 });
    expect(result.findings).toEqual([finding('a_high')]);
    expect(provider.requests).toHaveLength(0);
  });

  it('a hanging provider ends with the limit', async () => {
    const { step } = await stepAgainst(['hang']);
    const begun = performance.now();
    const result = await step([finding('a_high')], {}, { ...LIMIT, ms: 1200 });
    expect(performance.now() - begun).toBeLessThan(3000);
    expect(result.findings).toEqual([finding('a_high')]);
  });

  it('closes what it opened, also when nobody could be asked', async () => {
    let closed = 0;
    const model = {
      provider: 'openai' as const,
      model: 'm',
      complete: () => Promise.reject(new Error('boom')),
      close: async () => {
        closed += 1;
      },
    };
    const env = { OPENAI_API_KEY: 'sk-never-used-here' };
    const step = createRcaStep({ config: config(), env, vocabulary: VOCABULARY, log: notedLog(), model });
    await step([finding('a_high')], {}, LIMIT);
    await step([], {}, { ...LIMIT, signal: AbortSignal.abort() });
    expect(closed).toBe(2);
  });

  it('switched off it changes nothing', async () => {
    const { step } = await stepAgainst([completion({ content: 'x' })], { llm_rca_enabled: false });
    const findings = [finding('a_high')];
    expect(await step(findings, { [RCA_SLOT]: { last_called_unix: { a: 1 } } }, LIMIT)).toEqual({
      findings,
      slots: {},
      warnings: [],
    });
  });
});

describe('the vocabulary of the rules', () => {
  it('names every symptom once, with meaning and remedy, and fits into a prompt', () => {
    const vocabulary = ruleVocabulary(RULES);
    const names = vocabulary.map(({ symptom }) => symptom);
    expect(new Set(names).size).toBe(names.length);
    expect(vocabulary.filter(({ meaning, action }) => meaning.trim() === '' || action.trim() === '')).toEqual(
      [],
    );
    const prompt = systemPrompt(vocabulary);
    for (const name of names) expect(prompt).toContain(`- ${name}: `);
    expect(prompt.length).toBeLessThan(40_000);
  });
});
