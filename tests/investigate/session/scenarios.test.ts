import { afterEach, describe, expect, it } from 'vitest';
import type { Question } from '../../../src/investigate/question.js';
import {
  type BuiltSession,
  buildSession,
  healthyReading,
  type SessionParts,
  stamp,
  INCIDENT as T,
} from './build-session.js';

const LOG = 'runs/explore/t-12/server.log';
const log = (...lines: [number, string][]): string =>
  lines.map(([at, text]) => `${stamp(T + at)} ${text}\n`).join('');
const full = healthyReading({
  gpu: {
    gpus: [
      {
        gpu_id: 3,
        vram_used_mb: 63_900,
        vram_total_mb: 64_000,
        holders: [{ pid: 4711, vram_mb: 50_000, alive: false }],
      },
    ],
  },
});

interface Scenario {
  readonly parts: SessionParts;
  readonly question?: Partial<Question>;
  readonly cause: Record<string, unknown>;
  readonly classes: string[];
}

const SCENARIOS: Record<string, Scenario> = {
  'out of memory with an owner that is gone': {
    parts: {
      files: { [LOG]: log([0, 'INFO starting'], [1, 'ERROR HIP out of memory. Tried to allocate 2.00 GiB']) },
      tasks: [{ id: 't-12', state: 'failed', at: T + 4 }],
    },
    question: { symptom: 'gpu_memory_leaked', snapshot: full },
    cause: { error_type: 'oom', subject: 'task:t-12', confidence: 0.8, confidence_level: 'medium' },
    classes: ['log', 'state', 'trace'],
  },
  'a port that is still in use': {
    parts: {
      files: {
        [LOG]: log(
          [0, 'OSError: [Errno 98] Address already in use'],
          [3, 'connect failed: Connection refused'],
        ),
      },
    },
    cause: { error_type: 'infra', subject: 'task:t-12', confidence: 0.5, confidence_level: 'low' },
    classes: ['log'],
  },
  'an engine that died of a lack of memory': {
    parts: {
      files: { [LOG]: log([0, 'HIP out of memory'], [2, 'Engine core 0 died unexpectedly']) },
      events: [
        {
          taskId: 't-12',
          at: T + 4,
          state: 'failed',
          error: 'RuntimeError: Engine core initialization failed',
        },
      ],
    },
    cause: { error_type: 'oom', subject: 'task:t-12', confidence: 0.766, confidence_level: 'medium' },
    classes: ['log', 'trace'],
  },
  'a full disk': {
    parts: { files: { [LOG]: log([0, 'OSError: [Errno 28] No space left on device: /data/x']) } },
    question: {
      symptom: 'disk_pressure',
      snapshot: healthyReading({ disk: { '/data': { used_pct: 100 } } }),
    },
    cause: { error_type: 'infra', subject: 'task:t-12', confidence: 0.736, confidence_level: 'medium' },
    classes: ['log', 'state'],
  },
  'a collective that timed out': {
    parts: {
      files: { [LOG]: log([0, '[rank3] NCCL WARN Timeout waiting for rank 5']) },
      events: [{ taskId: 't-12', at: T + 30, state: 'failed', error: null }],
    },
    cause: { error_type: 'network', subject: 'task:t-12', confidence: 0.656, confidence_level: 'medium' },
    classes: ['log', 'trace'],
  },
  'an import that a patch broke': {
    parts: {
      files: {
        [LOG]: log(
          [0, 'Traceback (most recent call last):'],
          [0, "ModuleNotFoundError: No module named 'fused_moe_v2'"],
        ),
        'runs/explore/t-12/result.json': JSON.stringify({
          state: 'failed',
          error: 'the server did not start',
        }),
      },
    },
    cause: { error_type: 'config_error', subject: 'task:t-12', confidence_level: 'medium' },
    classes: ['log', 'trace'],
  },
  'a policy that repeats itself without failing': {
    parts: {
      events: [
        { taskId: 't-1', at: T, state: 'succeeded' },
        { taskId: 't-2', at: T + 5, state: 'succeeded' },
      ],
    },
    question: { symptom: 'same_payload_loop', text: 'the same request five times' },
    cause: { error_type: 'unknown', subject: null, confidence: 0.3, confidence_level: 'low' },
    classes: [],
  },
  'a state file that is torn': {
    parts: {
      files: {
        'state.json': '{"phase": "optim',
        'logs/coordinator.log': log([0, 'json.decoder.JSONDecodeError: Unterminated string']),
      },
    },
    question: { symptom: 'state_json_corrupt' },
    cause: { error_type: 'parsing_error', confidence_level: 'low' },
    classes: ['log'],
  },
  'a healthy session': {
    parts: {
      files: { [LOG]: log([0, 'INFO 200 OK'], [1, 'WARN retrying once'], [2, 'no error so far; 0 failed']) },
      tasks: [
        { id: 't-12', state: 'succeeded', at: T },
        { id: 't-13', state: 'cancelled', at: T },
      ],
      events: [{ taskId: 't-12', at: T, state: 'succeeded' }],
    },
    question: { snapshot: healthyReading() },
    cause: { error_type: 'unknown', subject: null, confidence: 0.3, confidence_level: 'low' },
    classes: [],
  },
};

let session: BuiltSession | undefined;
afterEach(() => session?.close());

describe('a session without a model', () => {
  it.each(Object.entries(SCENARIOS))('%s', async (_name, { parts, question = {}, cause, classes }) => {
    session = buildSession(parts);
    const result = await session.ask(question);
    expect(result.root_cause).toMatchObject(cause);
    expect(result.evidence_classes).toEqual(classes);
    expect(result.root_cause.claims.filter(({ verified }) => !verified)).toEqual([]);
    expect(result.investigation_steps.length).toBe(result.investigation_steps.at(-1)?.round);
  });

  it('looks at nothing that is older than the incident allows', async () => {
    session = buildSession({ files: { [LOG]: log([-7200, 'HIP out of memory'], [0, 'INFO all is well']) } });
    expect((await session.ask({})).root_cause.error_type).toBe('unknown');
  });

  it('looks at nothing that came long after it', async () => {
    const quiet = Array.from({ length: 30 }, (_, second): [number, string] => [second, 'INFO waiting']);
    session = buildSession({
      files: { [LOG]: log([0, 'Segmentation fault'], ...quiet, [900, 'HIP out of memory']) },
    });
    const { root_cause: cause, alternatives } = await session.ask({});
    expect([cause.error_type, alternatives]).toEqual(['runtime_error', []]);
  });

  it('a failure of another task supports nothing', async () => {
    session = buildSession({
      files: { [LOG]: log([0, 'HIP out of memory']) },
      tasks: [{ id: 't-99', state: 'failed', at: T + 4 }],
    });
    expect((await session.ask({})).root_cause).toMatchObject({
      error_type: 'oom',
      confidence: 0.5,
      confidence_level: 'low',
    });
  });

  it('says which unit failed when no text says why', async () => {
    session = buildSession({ tasks: [{ id: 't-7', state: 'failed', at: T, reason: 'no_executor' }] });
    const result = await session.ask({});
    expect(result.root_cause).toMatchObject({ error_type: 'unknown', confidence_level: 'low' });
    expect(result.root_cause.claims[0]).toMatchObject({ verified: true, quote: 'no_executor' });
    expect(result.recommended_fix).toContain('task:t-7');
  });

  it('goes on without a database, and says so', async () => {
    session = buildSession({ files: { [LOG]: log([0, 'Segmentation fault (core dumped)']) } });
    const { rmSync, writeFileSync } = await import('node:fs');
    rmSync(`${session.directory}/storage/coordinator.db`);
    const missing = await session.ask({});
    expect(missing.root_cause.error_type).toBe('runtime_error');
    expect(missing.warnings.join()).toContain('no answer came to r001');
    writeFileSync(`${session.directory}/storage/coordinator.db`, 'not a database at all');
    expect((await session.ask({})).root_cause.error_type).toBe('runtime_error');
  });
});
