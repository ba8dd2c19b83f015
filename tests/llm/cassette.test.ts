import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CassetteReader, createCassette, type Opened, readCassette } from '../../src/llm/cassette.js';
import type { ChatMessage, ChatRequest } from '../../src/llm/chat.js';
import { canonicalJson } from '../../src/llm/json.js';
import { chatKey, recordingModel, replayModel } from '../../src/llm/recorded-model.js';
import { parseChatResult } from '../../src/llm/stored-result.js';
import { completion, type ProviderServer, startProvider } from '../support/provider-server.js';
import { farDeadline, modelFor, openAiAt, QUESTION } from './support.js';

const HEADER = { created_unix: 1_772_442_000, mode: 'model', versions: { agent: '0.1.0' } };
const redact = (text: string): string => text.replaceAll('canary', '[redacted]');
const RULES = { redact, normalise: (text: string): string => text.replace(/nonce-\w+/g, 'nonce') };

let folder = '';
let server: ProviderServer | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cassette-'));
});
afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await server?.close();
  server = undefined;
});

function value<T>(opened: Opened<T>): T {
  if (!opened.ok) throw new Error(opened.problem);
  return opened.value;
}

function read(path: string): CassetteReader {
  return value(readCassette(readFileSync(path, 'utf8')));
}

describe('a cassette (spec 07 B15)', () => {
  it('is lines of JSON: a header, then numbered entries, redacted, for the owner alone', () => {
    const path = join(folder, 'deep', 'run.jsonl');
    const writer = value(createCassette(path, HEADER, redact));
    writer.record('http', 'GET jaeger /x', { 'a canary': 1 }, { body: ['canary'] });
    writer.record('clock', 'now', null, 5);
    expect(writer.problems()).toEqual([]);
    expect(readFileSync(path, 'utf8').split('\n')).toEqual([
      '{"schema_version":1,"created_unix":1772442000,"mode":"model","versions":{"agent":"0.1.0"}}',
      '{"seq":1,"kind":"http","key":"GET jaeger /x","request":{"a [redacted]":1},"response":{"body":["[redacted]"]}}',
      '{"seq":2,"kind":"clock","key":"now","request":null,"response":5}',
      '',
    ]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('masks what is secret only by its name, and leaves counts', () => {
    const path = join(folder, 'named.jsonl');
    const byName = (text: string): string => text.replace(/(password|token): [a-z]\w*/g, '$1: [masked]');
    const writer = value(createCassette(path, HEADER, byName));
    const body = {
      password: 'hunter2',
      tokens: 7,
      token: '77',
      note: 'no password',
      tags: [
        { key: 'db.password', value: 'hunter2' },
        { key: 'host', value: 'a1' },
      ],
      nested: [{ password: ['hunter2 is a list'] }],
    };
    writer.record('http', 'k password: hunter2', null, body);
    expect(readFileSync(path, 'utf8').split('\n')[1]).toBe(
      JSON.stringify({
        seq: 1,
        kind: 'http',
        key: 'k password: [masked]',
        request: null,
        response: {
          ...body,
          password: '[redacted:value]',
          tags: [
            { key: 'db.password', value: '[redacted:value]' },
            { key: 'host', value: 'a1' },
          ],
        },
      }),
    );
  });

  it('is not begun without redaction, or where nothing can be written', () => {
    expect(createCassette(join(folder, 'x'), HEADER, null)).toMatchObject({ ok: false });
    expect(createCassette(folder, HEADER, redact)).toMatchObject({ ok: false });
  });

  it('a write that fails later is counted and does not stop the run', () => {
    const path = join(folder, 'gone', 'run.jsonl');
    const writer = value(createCassette(path, HEADER, redact));
    rmSync(join(folder, 'gone'), { recursive: true });
    writer.record('clock', 'now', null, 5);
    expect(writer.problems()).toHaveLength(1);
  });

  it('gives equal keys back in order, the last again and again, and kinds apart', () => {
    const path = join(folder, 'run.jsonl');
    const writer = value(createCassette(path, HEADER, redact));
    for (const response of [1, 2]) writer.record('clock', 'k', null, response);
    writer.record('random', 'k', null, 3);
    const reader = read(path);
    expect(reader.header).toEqual(HEADER);
    const taken = [0, 1, 2].map(() => reader.take('clock', 'k'));
    expect(taken).toEqual([1, 2, 2].map((response) => ({ ok: true, response })));
    expect(reader.take('random', 'k')).toEqual({ ok: true, response: 3 });
    expect(reader.take('http', 'k')).toEqual({ ok: false });
  });

  it.each([
    ['', 'line 1'],
    ['{"schema_version":2,"created_unix":1,"mode":"m","versions":{}}', 'line 1'],
    [`${JSON.stringify({ schema_version: 1, ...HEADER })}\n{"seq":1,"kind":"http","key":"k","resp`, 'line 2'],
    [
      `${JSON.stringify({ schema_version: 1, ...HEADER })}\n{"seq":1,"kind":"other","key":"k","response":1}`,
      'line 2',
    ],
  ])('%j is refused with its line', (source, problem) => {
    expect(readCassette(source)).toMatchObject({ ok: false, problem: expect.stringContaining(problem) });
  });
});

describe('recorded chats', () => {
  const conversation = async (
    ask: (request: ChatRequest) => Promise<ChatMessage | undefined>,
    nonce: string,
  ): Promise<void> => {
    const question: ChatMessage = { role: 'user', text: `${nonce} canary why?` };
    const reply = await ask({ ...QUESTION, messages: [question] });
    if (!reply) return;
    await ask({ ...QUESTION, messages: [question, reply, { role: 'user', text: 'go on' }] });
  };

  it('replay the same results without anybody to ask, whatever the nonce', async () => {
    server = await startProvider([
      completion({ content: 'the canary sang' }),
      { status: 401, body: { error: { message: 'no' } } },
    ]);
    const path = join(folder, 'run.jsonl');
    const live = modelFor(openAiAt(server.origin), { redact });
    const recording = recordingModel(live, value(createCassette(path, HEADER, redact)), RULES);
    const recorded: unknown[] = [];
    await conversation(async (request) => {
      const result = await recording.complete(request, farDeadline());
      recorded.push(result);
      return result.ok ? result.reply.message : undefined;
    }, 'nonce-1');
    await recording.close();
    await server.close();
    expect(readFileSync(path, 'utf8')).not.toContain('canary');

    const replay = replayModel(read(path), { provider: 'openai', model: 'test-model' }, RULES);
    const replayed: unknown[] = [];
    await conversation(async (request) => {
      const result = await replay.complete(request, farDeadline());
      replayed.push(result);
      return result.ok ? result.reply.message : undefined;
    }, 'nonce-2');
    expect(replayed).toMatchObject([
      { ok: true, attempts: 1, reply: { text: 'the [redacted] sang', finish: 'stop' } },
      { ok: false, failure: { reason: 'unauthorized', status: 401 } },
    ]);
    expect(recorded).toHaveLength(2);
  });

  it('what was not recorded is a miss', async () => {
    const path = join(folder, 'run.jsonl');
    createCassette(path, HEADER, redact);
    const replay = replayModel(read(path), { provider: 'openai', model: 'm' }, RULES);
    expect(await replay.complete(QUESTION, farDeadline())).toMatchObject({
      ok: false,
      failure: { reason: 'replay_miss' },
    });
  });

  it('a recording that is no result is a miss, too', async () => {
    const path = join(folder, 'run.jsonl');
    const writer = value(createCassette(path, HEADER, redact));
    writer.record(
      'llm',
      chatKey('openai', 'm', QUESTION, RULES),
      {},
      { ok: true, reply: { finish: 'whenever' } },
    );
    const replay = replayModel(read(path), { provider: 'openai', model: 'm' }, RULES);
    expect(await replay.complete(QUESTION, farDeadline())).toMatchObject({
      ok: false,
      failure: { reason: 'replay_miss' },
    });
  });

  it('a key depends on what is asked, of whom, with which tools', () => {
    const tool = { name: 't', description: 'd', parameters: { type: 'object' } };
    const keys = [
      chatKey('openai', 'm', QUESTION, RULES),
      chatKey('anthropic', 'm', QUESTION, RULES),
      chatKey('openai', 'n', QUESTION, RULES),
      chatKey('openai', 'm', { ...QUESTION, system: 'other' }, RULES),
      chatKey('openai', 'm', { ...QUESTION, tools: [tool] }, RULES),
      chatKey('openai', 'm', { ...QUESTION, tools: [tool], toolChoice: { tool: 't' } }, RULES),
    ];
    expect(new Set(keys).size).toBe(keys.length);
    expect(chatKey('openai', 'm', { ...QUESTION }, RULES)).toBe(keys[0]);
  });

  it('canonical JSON sorts keys, is compact and leaves out what is absent', () => {
    expect(canonicalJson({ b: [1, { d: null, c: 'é' }], a: undefined })).toBe('{"b":[1,{"c":"é","d":null}]}');
  });

  it('a stored result keeps tool calls, their errors and the usage', () => {
    const toolCalls = [
      { id: 'a', name: 'x', arguments: { ok: true, value: { k: 1 } } },
      { id: 'b', name: 'x', arguments: { ok: false, raw: '{', problem: 'p' } },
    ];
    const usage = { inputTokens: 1, outputTokens: 2, cacheCreationInputTokens: 3, cacheReadInputTokens: 4 };
    const echo = { provider: 'openai', message: { content: null } };
    const message = { role: 'assistant', text: '', toolCalls, echo };
    const result = {
      ok: true,
      attempts: 1,
      latencyMs: 2.5,
      reply: { text: '', toolCalls, finish: 'tool_calls', reasoningOnly: false, usage, message },
    };
    expect(parseChatResult(JSON.parse(JSON.stringify(result)))).toEqual(result);
    for (const broken of [null, [], {}, { ok: true }, { ok: false, failure: { reason: 'bored' } }]) {
      expect(parseChatResult(broken)).toBeNull();
    }
  });
});
