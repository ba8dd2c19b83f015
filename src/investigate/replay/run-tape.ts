import { randomBytes } from 'node:crypto';
import { finiteNumber, listOr, text } from '../../foreign/json.js';
import {
  type CassetteReader,
  type CassetteWriter,
  createCassette,
  type Opened,
  readCassette,
} from '../../llm/cassette.js';
import type { ChatModel } from '../../llm/chat.js';
import { recordingModel, replayModel } from '../../llm/recorded-model.js';
import type { HttpClient } from '../safety/http-client.js';
import type { SourceRoot } from '../tools/session/source-slice.js';
import type { Tool } from '../tools/tool.js';
import { MISS, recordHttp, replayHttp } from './http.js';
import { type OpenedReproducing, recordSandbox, replaySandbox } from './sandbox.js';
import { type LocalSource, localSourceOf, recordSource, replaySource } from './source.js';
import { recordTool, replayTool } from './tools.js';

/** Everything outside of a run that may differ from one time to the next: live, recorded, or from a cassette (spec 07 B15). */
export interface RunTape {
  readonly isReplay: boolean;
  now(): number;
  /** So many random bytes as hex digits. */
  random(bytes: number): string;
  http(client: HttpClient, alias: string): HttpClient;
  tool(tool: Tool): Tool;
  /** `verifier` is the model of the second opinion, where it is another one. */
  model(model: ChatModel | null, role?: 'model' | 'verifier'): ChatModel | null;
  /** What can be read of local source roots. */
  source(roots: readonly SourceRoot[]): LocalSource;
  /** The sandbox, opened only where something may run. */
  sandbox(open: () => Promise<OpenedReproducing>): Promise<OpenedReproducing>;
  /** Whether something is there that a replay cannot find out. */
  isThere(name: string, isThere: boolean): boolean;
  /** What is told about the sources of a run before it begins. */
  warnings(list: readonly string[]): readonly string[];
  /** Entries that are missing: those not written in a recording, those not found in a replay. */
  problems(): readonly string[];
}

const WARNINGS = 'warnings';

/** Names of the settings that a replay takes from its cassette. */
export type TapeFacts = Readonly<Record<string, string>>;

export const LIVE: RunTape = {
  isReplay: false,
  now: () => Date.now() / 1000,
  random: (bytes) => randomBytes(bytes).toString('hex'),
  http: (client) => client,
  tool: (tool) => tool,
  model: (model) => model,
  source: localSourceOf,
  sandbox: (open) => open(),
  isThere: (_name, isThere) => isThere,
  warnings: (list) => list,
  problems: () => [],
};

/**
 * A live run whose answers all go into one cassette.
 *
 * @param source of time and randomness
 */
export function recordingTape(
  path: string,
  facts: TapeFacts,
  redact: (text: string) => string,
  source: Pick<RunTape, 'now' | 'random'> = LIVE,
): Opened<RunTape> {
  const created = createCassette(
    path,
    { created_unix: Date.now() / 1000, mode: 'investigate', versions: facts },
    redact,
  );
  if (!created.ok) return created;
  const cassette: CassetteWriter = created.value;
  return {
    ok: true,
    value: {
      isReplay: false,
      now: () => {
        const now = source.now();
        cassette.record('clock', 'now', null, now);
        return now;
      },
      random: (bytes) => {
        const value = source.random(bytes);
        cassette.record('random', String(bytes), null, value);
        return value;
      },
      http: (client, alias) => recordHttp(client, alias, cassette),
      tool: (tool) => recordTool(tool, cassette),
      model: (model) => (model === null ? null : recordingModel(model, cassette, { redact, normalise })),
      source: (roots) => recordSource(roots, cassette),
      sandbox: async (open) => recordSandbox(await open(), cassette),
      isThere: (name, isThere) => {
        cassette.record('session', `there ${name}`, null, isThere);
        return isThere;
      },
      warnings: (list) => {
        cassette.record('session', WARNINGS, null, list);
        return list;
      },
      problems: () => cassette.problems(),
    },
  };
}

/** A run out of a cassette: nothing live is asked, and a miss is an error of the call that missed. */
export function replayTape(
  source: string,
  redact: (text: string) => string,
): Opened<{ tape: RunTape; facts: TapeFacts }> {
  const read = readCassette(source);
  if (!read.ok) return read;
  const cassette: CassetteReader = read.value;
  const facts = cassette.header.versions;
  const take = (kind: 'clock' | 'random', key: string) => {
    const taken = cassette.take(kind, key);
    return taken.ok ? taken.response : undefined;
  };
  const tape: RunTape = {
    isReplay: true,
    now: () => finiteNumber(take('clock', 'now')) ?? cassette.header.created_unix,
    random: (bytes) => text(take('random', String(bytes))) ?? '0'.repeat(bytes * 2),
    http: (_client, alias) => replayHttp(alias, cassette),
    tool: (tool) => replayTool(tool, cassette),
    model: (_live, role = 'model') => {
      const [provider, model] = [facts['provider'], facts[role]];
      if (model === undefined || (provider !== 'openai' && provider !== 'anthropic')) return null;
      return replayModel(cassette, { provider, model }, { redact, normalise });
    },
    source: () => replaySource(cassette),
    sandbox: async () => replaySandbox(cassette),
    isThere: (name) => {
      const taken = cassette.take('session', `there ${name}`);
      return taken.ok && taken.response === true;
    },
    warnings: () => {
      const taken = cassette.take('session', WARNINGS);
      return listOr(taken.ok ? taken.response : null).filter((one) => typeof one === 'string');
    },
    problems: () => cassette.misses().map((name) => `${MISS}: nothing was recorded for ${name}`),
  };
  return { ok: true, value: { tape, facts } };
}

/** Clock and nonce come from the cassette, so that nothing in a text differs. */
function normalise(source: string): string {
  return source;
}
