import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished } from 'vitest';
import { PromptRegistry } from '../../src/selfedit/registry/registry.js';
import { type CliRun, runCli } from './cli.js';
import { completion, type SeenRequest, startProvider } from './provider-server.js';
import { tempDir } from './temp-dir.js';
import { requestFiles } from './tick-request.js';

const SECRET = 'sk-canary0123456789abcdef';
export const ANSWER = 'The configuration crashes at once.\ncause: crash_loop';
export const RULE = 'Look for the earliest cause, the one that needs no other to explain it.';

export interface PromotedWorld {
  readonly sessionDir: string;
  readonly state: string;
  readonly env: Readonly<Record<string, string>>;
  readonly requests: readonly SeenRequest[];
}

/** A session, a state directory, and a provider that plays its script. */
export async function promotedWorld(
  selfedit: object | undefined,
  script: Parameters<typeof startProvider>[0] = [completion({ content: ANSWER })],
): Promise<PromotedWorld> {
  const server = await startProvider(script);
  onTestFinished(() => server.close());
  const sessionDir = tempDir();
  const state = join(tempDir(), 'state');
  if (selfedit !== undefined)
    writeFileSync(join(sessionDir, 'robustness.config.json'), JSON.stringify({ selfedit }));
  const env = {
    ROBUSTNESS_STATE_DIR: state,
    OPENAI_API_KEY: SECRET,
    OPENAI_BASE_URL: `${server.origin}/v1`,
    OPENAI_MODEL: 'm-1',
  };
  return { sessionDir, state, env, requests: server.requests };
}

/** A command of the built program, where the session's configuration is. */
export function inWorld(
  { env, sessionDir }: PromotedWorld,
  argv: readonly string[],
  input?: string,
): Promise<CliRun> {
  return runCli(argv, { env, cwd: sessionDir, ...(input !== undefined && { input }) });
}

export function registryOf(state: string, promptId = 'rca'): PromptRegistry {
  return new PromptRegistry({
    directory: join(state, 'selfedit/registry', promptId),
    lock: join(state, 'selfedit/selfedit.lock'),
  });
}

/** Version 1 by the command, version 2 with one more rule below the given line. */
export async function promote(
  world: PromotedWorld,
  promptId = 'rca',
  below = 'How to answer:',
): Promise<string> {
  const init = await inWorld(world, ['selfedit', 'init', '--prompt-id', promptId]);
  expect(init).toMatchObject({ code: 0, stderr: '' });
  const registry = registryOf(world.state, promptId);
  const base = registry.current();
  if (base === null) throw new Error('no version 1');
  const text = base.text.replace(`${below}\n`, `${below}\n- ${RULE}\n`);
  expect(await registry.promote(base, text, {})).toEqual({ ok: true, version: 2 });
  return text;
}

/** One tick with something new to say, by the built program. */
export async function promotedTick(
  { sessionDir, env }: PromotedWorld,
  number = 1,
  extra: Record<string, string> = {},
) {
  const files = requestFiles(sessionDir, {
    sessionDir,
    tick: number,
    crashCount: 5 + number,
    nowUnix: 1_780_000_000 + number * 3600,
    options: { llm_rca_enabled: true, llm_rca_cooldown_s: 0, cooldown_ticks: 0 },
  });
  const run = await runCli(['tick', '--request', files.request, '--out', files.out], {
    env: { ...env, ...extra },
  });
  const path = join(sessionDir, 'agents/robustness/findings/s.jsonl');
  const findings = readFileSync(path, 'utf8').trim().split('\n');
  return {
    ...run,
    emit: JSON.parse(readFileSync(files.out, 'utf8')),
    finding: JSON.parse(findings.at(-1) ?? ''),
    findings: findings.length,
  };
}

/** The system text of a request. */
export function systemOf(request: SeenRequest | undefined): unknown {
  const messages = request?.body['messages'];
  return Array.isArray(messages) ? messages[0]?.content : undefined;
}

/** The stored traces, oldest first. */
export function tracesIn(state: string): Record<string, unknown>[] {
  const db = new Database(join(state, 'selfedit/selfedit.db'), { readonly: true });
  try {
    return db
      .prepare<[], Record<string, unknown>>(
        'SELECT trace_uid, prompt_id, prompt_version, session_id, task_id, final_output, error FROM traces ORDER BY id',
      )
      .all();
  } finally {
    db.close();
  }
}
