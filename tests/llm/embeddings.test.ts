import { describe, expect, it, onTestFinished } from 'vitest';
import { deadlineIn } from '../../src/llm/deadline.js';
import {
  createEmbedder,
  type Embedder,
  type EmbedderOptions,
  parseEmbeddings,
} from '../../src/llm/embeddings.js';
import type { Play } from '../support/provider-server.js';
import { provider, status } from './scene.js';
import { anthropicAt, farDeadline, notingClock, openAiAt } from './support.js';

const answer = (...vectors: readonly (readonly unknown[])[]): Play => ({
  body: {
    data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })),
    usage: { prompt_tokens: 5, total_tokens: 5 },
  },
});

function embedderAt(origin: string, more: Partial<EmbedderOptions> = {}): Embedder {
  const embedder = createEmbedder({
    credentials: openAiAt(origin),
    env: {},
    redact: (text) => text.replaceAll('secret', '[masked]'),
    clock: notingClock(),
    random: () => 0,
    ...more,
  });
  onTestFinished(() => embedder.close());
  return embedder;
}

describe('embeddings', () => {
  it('come in the order of the texts, which are masked before they leave', async () => {
    const server = await provider([
      {
        body: {
          data: [
            { index: 1, embedding: [0, 2] },
            { index: 0, embedding: [1, 0] },
          ],
          usage: { prompt_tokens: 9 },
        },
      },
    ]);
    const result = await embedderAt(server.origin).embed(['a secret', 'b'], farDeadline());
    expect(result).toEqual({
      ok: true,
      vectors: [
        [1, 0],
        [0, 2],
      ],
      inputTokens: 9,
      attempts: 1,
    });
    expect(server.requests[0]).toMatchObject({
      path: '/v1/embeddings',
      body: { model: 'test-model', input: ['a [masked]', 'b'], encoding_format: 'float' },
    });
    expect(server.requests[0]?.headers['authorization']).toBe('Bearer sk-key-for-tests');
  });

  it.each<[string, Play]>([
    ['fewer vectors than texts', answer([1, 2])],
    ['vectors of two lengths', answer([1, 2], [1, 2, 3])],
    ['a vector of text', answer([1, 2], ['x', 1])],
    ['an empty vector', answer([], [])],
    ['a vector of nothing', answer([1, 2], [0, 0])],
    ['base64 in its place', { body: { data: [{ embedding: 'AAAA' }, { embedding: 'AAAA' }] } }],
    [
      'two vectors for one text',
      {
        body: {
          data: [
            { index: 0, embedding: [1] },
            { index: 0, embedding: [2] },
          ],
        },
      },
    ],
    ['a page', { body: '<html></html>' }],
    ['a chat answer', { body: { choices: [] } }],
  ])('refuse %s', async (_what, play) => {
    const server = await provider([play]);
    const result = await embedderAt(server.origin).embed(['a', 'b'], farDeadline());
    expect(result).toMatchObject({ ok: false, failure: { reason: 'bad_answer' } });
  });

  it('take numbers that JSON can hold, and no others', () => {
    const row = (embedding: readonly unknown[]) => ({ data: [{ embedding: embedding.map(Number) }] });
    expect(parseEmbeddings(row([1e-30, -2]), 1)).toMatchObject({ ok: true });
    expect(parseEmbeddings(row([1, Number.NaN]), 1)).toMatchObject({ ok: false });
    expect(parseEmbeddings({ data: [] }, 0)).toMatchObject({ ok: true, reply: { vectors: [] } });
  });

  it('are asked for again as any other request is, and no more', async () => {
    const server = await provider([status(503, 'busy'), status(429, 'slow'), answer([1, 2])]);
    expect(await embedderAt(server.origin).embed(['a'], farDeadline())).toMatchObject({
      ok: true,
      attempts: 3,
    });
    const refusing = await provider([status(401, { error: { message: 'no' } })]);
    expect(await embedderAt(refusing.origin).embed(['a'], farDeadline())).toMatchObject({
      ok: false,
      attempts: 1,
      failure: { reason: 'unauthorized' },
    });
    const busy = await provider([status(500, 'busy')]);
    expect(await embedderAt(busy.origin).embed(['a'], farDeadline())).toMatchObject({
      ok: false,
      attempts: 3,
    });
  });

  it('end with the deadline', async () => {
    const server = await provider(['hang']);
    expect(await embedderAt(server.origin).embed(['a'], deadlineIn(50))).toMatchObject({
      ok: false,
      failure: { reason: 'timed_out' },
    });
  });

  it('are not to be had without credentials, nor by the other protocol', async () => {
    const server = await provider([answer([1])]);
    for (const credentials of [anthropicAt(server.origin), { ...openAiAt(server.origin), key: '' }]) {
      const embedder = embedderAt(server.origin, { credentials });
      expect(await embedder.embed(['a'], farDeadline())).toMatchObject({
        ok: false,
        attempts: 0,
        failure: { reason: 'not_configured' },
      });
    }
    expect(server.requests).toEqual([]);
  });
});
