import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emitText } from '../../src/reactor/emit.js';
import { answerWarnings } from '../../src/reactor/perform-tick.js';
import { limitWarnings } from '../../src/reactor/warnings.js';

describe('the text of an answer', () => {
  it('is valid UTF-8 JSON whatever the intents hold', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.jsonValue(), (text, value) => {
        const payload = { summary: text, detail: JSON.parse(JSON.stringify({ [text]: value })) };
        const emit = {
          intent_envelope: { intents: [{ intent_type: 'alert', payload }] },
          session_id: text,
          tick_index: 1,
          parse_warnings: [text],
        };
        const bytes = Buffer.from(emitText(emit), 'utf8');
        expect(new TextDecoder('utf-8', { fatal: true }).decode(bytes)).toBe(emitText(emit));
        expect(JSON.parse(bytes.toString('utf8')).tick_index).toBe(1);
      }),
    );
  });

  it('replaces lone surrogates and numbers that JSON does not have, and keeps other text raw', () => {
    const payload = { summary: 'é \ud800', detail: { n: Number.NaN, m: Number.POSITIVE_INFINITY } };
    const text = emitText({
      intent_envelope: { intents: [{ intent_type: 'alert', payload }] },
      session_id: 's',
      tick_index: 1,
      parse_warnings: [],
    });
    expect(text).toContain('"é \ufffd"');
    expect(JSON.parse(text).intent_envelope.intents[0].payload.detail).toEqual({ n: null, m: null });
  });
});

describe('warnings', () => {
  it('are one line each, clipped, and counted beyond twenty', () => {
    const many = Array.from({ length: 25 }, (_, index) => `${index}\n${'x'.repeat(500)}`);
    const limited = limitWarnings(many);
    expect(limited).toHaveLength(21);
    expect(limited.at(-1)).toBe('5 more');
    for (const warning of limited) expect(warning).toMatch(/^[^\n]{1,200}$/);
  });

  it('of the prompt do not take the room of the others', () => {
    const prompt = Array.from({ length: 30 }, () => 'p');
    expect(answerWarnings(prompt, ['rule x failed']).at(-1)).toBe('rule x failed');
  });
});
