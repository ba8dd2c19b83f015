import { afterEach, describe, expect, it } from 'vitest';
import type { ChatModel } from '../../src/llm/chat.js';
import {
  anthropicMessage,
  completion,
  type Play,
  type ProviderServer,
  startProvider,
} from '../support/provider-server.js';
import { anthropicAt, farDeadline, modelFor, openAiAt, QUESTION } from './support.js';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

async function provider(...script: Play[]): Promise<ProviderServer> {
  const server = await startProvider(script);
  open.push(server);
  return server;
}

function opened(model: ChatModel): ChatModel {
  open.push(model);
  return model;
}

describe('the OpenAI protocol', () => {
  it('sends model, messages, limit and temperature with a bearer key (spec 05 B.4)', async () => {
    const server = await provider(completion({ content: ' because \n' }));
    const model = opened(modelFor(openAiAt(server.origin, { LLM_MODEL: 'claude-opus-5' })));

    const result = await model.complete(QUESTION, farDeadline());

    expect(result).toMatchObject({ ok: true, attempts: 1, reply: { text: 'because', finish: 'stop' } });
    const [seen] = server.requests;
    expect(seen).toMatchObject({ method: 'POST', path: '/v1/chat/completions' });
    expect(seen?.headers).toMatchObject({
      authorization: 'Bearer sk-key-for-tests',
      'content-type': 'application/json',
    });
    expect(seen?.body).toEqual({
      model: 'claude-opus-5',
      messages: [
        { role: 'system', content: 'You diagnose.' },
        { role: 'user', content: 'Why is the disk full?' },
      ],
      max_tokens: 600,
      temperature: 0.2,
    });
  });

  it.each(['gpt-5.6-sol', ' GPT-5-mini ', 'openai/gpt-5', 'o3-mini', 'azure/o1'])(
    'asks %s with max_completion_tokens and no temperature',
    async (name) => {
      const server = await provider(completion({ content: 'x' }));
      await opened(modelFor({ ...openAiAt(server.origin), model: name })).complete(QUESTION, farDeadline());
      expect(Object.keys(server.requests[0]?.body ?? {}).sort()).toEqual([
        'max_completion_tokens',
        'messages',
        'model',
      ]);
    },
  );

  it.each(['gpt-50', 'gpt-4o', 'o3d-local', 'qwen-o1'])('asks %s with max_tokens', async (name) => {
    const server = await provider(completion({ content: 'x' }));
    await opened(modelFor({ ...openAiAt(server.origin), model: name })).complete(QUESTION, farDeadline());
    expect(server.requests[0]?.body).toMatchObject({ max_tokens: 600, temperature: 0.2 });
  });

  it('tolerates a trailing slash and keeps a query of the base URL out of the path', async () => {
    const server = await provider(completion({ content: 'x' }));
    const credentials = { ...openAiAt(server.origin), baseUrl: `${server.origin}/v1/?api-version=7` };
    await opened(modelFor(credentials)).complete(QUESTION, farDeadline());
    expect(server.requests[0]?.path).toBe('/v1/chat/completions?api-version=7');
  });

  it('runs a turn with tools: calls in, the message echoed unchanged, results by call id', async () => {
    const message = {
      content: null,
      reasoning_content: 'think',
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'look', arguments: '{"where":"/"}' } },
        { id: 'b', type: 'function', function: { name: 'look', arguments: '{"where":' } },
        { id: 'c', type: 'function', function: { name: 'now', arguments: '' } },
      ],
    };
    const server = await provider(
      completion(message, { finish_reason: 'tool_calls' }),
      completion({ content: 'done' }),
    );
    const model = opened(modelFor(openAiAt(server.origin)));
    const tools = [{ name: 'look', description: 'looks', parameters: { type: 'object', properties: {} } }];

    const first = await model.complete({ ...QUESTION, tools }, farDeadline());
    if (!first.ok) throw new Error(first.failure.message);
    expect(first.reply.finish).toBe('tool_calls');
    expect(first.reply.toolCalls).toMatchObject([
      { id: 'a', arguments: { ok: true, value: { where: '/' } } },
      { id: 'b', arguments: { ok: false, raw: '{"where":' } },
      { id: 'c', arguments: { ok: true, value: {} } },
    ]);
    const results = first.reply.toolCalls.map(({ id }) => ({
      callId: id,
      content: `r-${id}`,
      isError: false,
    }));
    const messages = [...QUESTION.messages, first.reply.message, { role: 'tool' as const, results }];
    await model.complete({ ...QUESTION, messages, tools, toolChoice: { tool: 'look' } }, farDeadline());

    const body = server.requests[1]?.body;
    expect(body?.['tool_choice']).toEqual({ type: 'function', function: { name: 'look' } });
    expect(body?.['tools']).toEqual([
      {
        type: 'function',
        function: { name: 'look', description: 'looks', parameters: { type: 'object', properties: {} } },
      },
    ]);
    expect(body?.['messages']).toEqual([
      { role: 'system', content: 'You diagnose.' },
      { role: 'user', content: 'Why is the disk full?' },
      { role: 'assistant', ...message },
      { role: 'tool', tool_call_id: 'a', content: 'r-a' },
      { role: 'tool', tool_call_id: 'b', content: 'r-b' },
      { role: 'tool', tool_call_id: 'c', content: 'r-c' },
    ]);
  });

  it('knows reasoning without content, content in parts, refusals and filtered answers', async () => {
    const server = await provider(
      completion({ content: null, reasoning: 'hm' }, { finish_reason: 'length' }),
      completion({
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      }),
      completion({ content: null, refusal: 'I cannot' }),
      completion({ content: 'par' }, { finish_reason: 'content_filter' }),
      completion({ content: null }),
    );
    const model = opened(modelFor(openAiAt(server.origin)));
    const replies = [];
    for (let i = 0; i < 5; i += 1) {
      const result = await model.complete(QUESTION, farDeadline());
      replies.push(
        result.ok ? [result.reply.text, result.reply.finish, result.reply.reasoningOnly] : result.failure,
      );
    }
    expect(replies).toEqual([
      ['', 'length', true],
      ['ab', 'stop', false],
      ['', 'refusal', false],
      ['par', 'refusal', false],
      ['', 'stop', false],
    ]);
  });
});

describe('the Anthropic protocol', () => {
  it.each(['', '/', '/v1', '/anthropic/', '/anthropic/v1/'])(
    'finds its path below %j (spec 05 B.5)',
    async (suffix) => {
      const server = await provider(anthropicMessage([{ type: 'text', text: 'x' }]));
      const credentials = { ...anthropicAt(server.origin), baseUrl: `${server.origin}${suffix}` };
      await opened(modelFor(credentials)).complete(QUESTION, farDeadline());
      expect(server.requests[0]?.path).toBe(
        suffix.startsWith('/anthropic') ? '/anthropic/v1/messages' : '/v1/messages',
      );
    },
  );

  it('sends system, one user turn and the key in its own header, and joins the text blocks', async () => {
    const server = await provider(
      anthropicMessage(
        [
          { type: 'thinking', thinking: 't', signature: 's' },
          { type: 'text', text: ' a' },
          { type: 'text', text: 'b ' },
        ],
        {
          usage: { input_tokens: 7, output_tokens: 3, cache_read_input_tokens: 100 },
        },
      ),
    );
    const result = await opened(modelFor(anthropicAt(server.origin))).complete(QUESTION, farDeadline());
    expect(result).toMatchObject({
      ok: true,
      reply: { text: 'ab', usage: { inputTokens: 7, outputTokens: 3, cacheReadInputTokens: 100 } },
    });
    const [seen] = server.requests;
    expect(seen?.headers).toMatchObject({
      'x-api-key': 'sk-ant-key-for-tests',
      'anthropic-version': '2023-06-01',
    });
    expect(seen?.headers['authorization']).toBeUndefined();
    expect(seen?.body).toEqual({
      model: 'test-model',
      messages: [{ role: 'user', content: 'Why is the disk full?' }],
      max_tokens: 600,
      system: 'You diagnose.',
      temperature: 0.2,
    });
  });

  it('sends an auth token as a bearer when it is the only credential', async () => {
    const server = await provider(anthropicMessage([]));
    const credentials = anthropicAt(server.origin, {
      ANTHROPIC_API_KEY: '',
      ANTHROPIC_AUTH_TOKEN: 'token-for-tests',
    });
    await opened(modelFor(credentials)).complete(QUESTION, farDeadline());
    expect(server.requests[0]?.headers).toMatchObject({ authorization: 'Bearer token-for-tests' });
    expect(server.requests[0]?.headers['x-api-key']).toBeUndefined();
  });

  it('puts all results of a turn first into the one user message that follows, echo unchanged', async () => {
    const content = [
      { type: 'thinking', thinking: 't', signature: 's' },
      { type: 'tool_use', id: 'a', name: 'look', input: { where: '/' } },
    ];
    const server = await provider(
      anthropicMessage(content, { stop_reason: 'tool_use' }),
      anthropicMessage([]),
    );
    const model = opened(modelFor(anthropicAt(server.origin)));
    const tools = [{ name: 'look', description: 'looks', parameters: { properties: {} } }];
    const first = await model.complete({ ...QUESTION, tools, cacheSystem: true }, farDeadline());
    if (!first.ok) throw new Error(first.failure.message);
    expect(first.reply.toolCalls).toEqual([
      { id: 'a', name: 'look', arguments: { ok: true, value: { where: '/' } } },
    ]);

    const messages = [
      ...QUESTION.messages,
      first.reply.message,
      { role: 'tool' as const, results: [{ callId: 'a', content: 'boom', isError: true }] },
      { role: 'user' as const, text: 'go on' },
    ];
    await model.complete({ ...QUESTION, messages, tools, toolChoice: 'none' }, farDeadline());
    expect(server.requests[0]?.body['system']).toEqual([
      { type: 'text', text: 'You diagnose.', cache_control: { type: 'ephemeral' } },
    ]);
    expect(server.requests[1]?.body).toMatchObject({
      tools: [{ name: 'look', description: 'looks', input_schema: { type: 'object', properties: {} } }],
      tool_choice: { type: 'none' },
      messages: [
        { role: 'user', content: 'Why is the disk full?' },
        { role: 'assistant', content },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'a', content: 'boom', is_error: true },
            { type: 'text', text: 'go on' },
          ],
        },
      ],
    });
  });

  it('reads content that is no list as no text', async () => {
    const server = await provider({ body: { type: 'message', content: 'x', stop_reason: 'end_turn' } });
    const result = await opened(modelFor(anthropicAt(server.origin))).complete(QUESTION, farDeadline());
    expect(result).toMatchObject({ ok: true, reply: { text: '', toolCalls: [] } });
  });
});

describe('custom headers', () => {
  it.each([
    ['openai', 'OPENAI_CUSTOM_HEADERS', 'Authorization'],
    ['anthropic', 'ANTHROPIC_CUSTOM_HEADERS', 'X-Api-Key'],
    ['anthropic', 'ANTHROPIC_CUSTOM_HEADERS', 'Authorization'],
    ['anthropic', 'ANTHROPIC_CUSTOM_HEADERS', 'Anthropic-Version'],
  ])(
    'of %s replace ours in any spelling, also when the process has them in the form the library cannot read',
    async (name, variable, header) => {
      const server = await provider(name === 'openai' ? completion({ content: 'x' }) : anthropicMessage([]));
      const source = JSON.stringify({ [header.toUpperCase()]: 'mine', 'X-Team': 7 });
      const credentials = (name === 'openai' ? openAiAt : anthropicAt)(server.origin, { [variable]: source });
      const before = process.env[variable];
      process.env[variable] = source;
      try {
        await opened(modelFor(credentials)).complete(QUESTION, farDeadline());
        expect(process.env[variable]).toBe(source);
      } finally {
        if (before === undefined) delete process.env[variable];
        else process.env[variable] = before;
      }
      expect(server.requests[0]?.headers).toMatchObject({ [header.toLowerCase()]: 'mine', 'x-team': '7' });
    },
  );
});
