import { resolve } from 'node:path';
import { type ConfigValue, pickFields } from '../foreign/config-field.js';
import type { JsonObject } from '../foreign/json.js';
import type { Snapshot } from '../sources/snapshot.js';
import { readJsonField } from './config/field-value.js';
import { agentFieldSet } from './config/fields.js';
import { type ConfigLayer, type ConfigProblem, describeProblem, layerConfig } from './config/layers.js';
import { optionsLayer } from './config/options-layer.js';
import { reactorFields } from './config/own-fields.js';
import type { Emit } from './emit.js';
import type { Finding } from './findings/finding.js';
import { performTick } from './perform-tick.js';
import { ReactorError } from './reactor-error.js';
import { readRequest, type TickRequest } from './request/parse-request.js';
import { requestContext } from './request/request-context.js';
import type { TickLog } from './tick-log.js';

export interface ReactorSettings {
  /** Need not exist; made when the first file is written. A relative path is taken from the working directory. */
  readonly sessionDir: string;
  /** Settings by their names of docs/configuration.md; the others have their defaults. */
  readonly config?: Readonly<Record<string, ConfigValue>>;
  /** What the collectors see of the environment, `PATH` above all; the process's own unless given. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Takes what the command line would log; nothing is logged unless given. */
  readonly log?: TickLog;
}

/** A request in its wire shape (docs/contract.md); `kind` may be left out. */
export type ReactorRequest = {
  readonly kind?: 'coordinator_inbox';
  readonly session_id: string;
  readonly raw_prompt: string;
  readonly context?: JsonObject | null;
  readonly options?: JsonObject | null;
};

export interface ReactorAnswer {
  /** What the command line would write as emit.json. */
  readonly emit: Emit;
  /** As they were appended to the findings file. */
  readonly findings: readonly Finding[];
  /** What was seen. */
  readonly snapshot: Snapshot;
  /** What could not be written after the answer stood. */
  readonly problems: readonly string[];
}

export interface Reactor {
  /**
   * One tick. Ticks of one reactor run one after the other; the deadline of each counts from this call.
   *
   * @throws ReactorError `RA_REQUEST_FIELD` when the request is none, `RA_REACTOR_CLOSED` after `close`
   */
  tick(request: ReactorRequest): Promise<ReactorAnswer>;
  /** Takes no further tick and waits for those under way. */
  close(): Promise<void>;
}

/**
 * The agent of one session, inside another program. It decides, records and remembers as `tick` of the command line does,
 * and asks no model.
 *
 * @throws ReactorError `RA_CONFIG_INVALID` naming each setting that is unknown or unusable
 */
export function createReactor(settings: ReactorSettings): Reactor {
  const sessionDir = resolve(settings.sessionDir);
  const base = ownLayer(settings.config ?? {});
  const problems = layerConfig(agentFieldSet(), [base]).problems.filter(
    ({ problem }) => problem !== 'clamped',
  );
  if (problems.length > 0) throw new ReactorError('RA_CONFIG_INVALID', problems.map(refusal).join('. '));
  let isClosed = false;
  let last: Promise<unknown> = Promise.resolve();
  return {
    async tick(request) {
      if (isClosed) throw new ReactorError('RA_REACTOR_CLOSED', 'the reactor is closed; create another one');
      const reading = readRequest({ kind: 'coordinator_inbox', ...request });
      if (!reading.ok) {
        const { code, happened, expected } = reading.refusal;
        throw new ReactorError(code, `${happened}; expected ${expected}`);
      }
      const calledAt = performance.now();
      const own = last.then(() => answer(reading.request, { ...settings, sessionDir }, base, calledAt));
      last = own.catch(() => undefined);
      return own;
    },
    async close() {
      isClosed = true;
      await last;
    },
  };
}

function refusal({ field, problem, expected }: ConfigProblem): string {
  return problem === 'unknown'
    ? `there is no setting ${field}`
    : `${field} is not usable, expected ${expected}`;
}

function ownLayer(values: Readonly<Record<string, ConfigValue>>): ConfigLayer {
  const fields = agentFieldSet();
  return {
    origin: 'config',
    values,
    read: (name, value) => {
      const field = fields.find(name);
      return field === undefined ? 'unknown' : readJsonField(field, value);
    },
  };
}

async function answer(
  request: TickRequest,
  { sessionDir, env = process.env, log = () => undefined }: ReactorSettings,
  base: ConfigLayer,
  calledAt: number,
): Promise<ReactorAnswer> {
  const fields = agentFieldSet();
  const { config, problems } = layerConfig(fields, [base, optionsLayer(fields, request.options)]);
  const deadlineMs = pickFields(reactorFields, config).tick_deadline_s * 1000;
  const nowUnix = request.nowUnix ?? Date.now() / 1000;
  const answers: Emit[] = [];
  const { findings, snapshot, ...report } = await performTick({
    sessionDir,
    sessionId: request.sessionId,
    config,
    env,
    nowUnix,
    promptDriven: true,
    origin: 'tick',
    remainingMs: () => deadlineMs - (performance.now() - calledAt),
    log,
    configWarnings: [...otherDirectory(request.options, sessionDir), ...problems.map(describeProblem)],
    prepare: () => {
      const { context, warnings } = requestContext(request, sessionDir, nowUnix);
      return { context, promptWarnings: warnings };
    },
    deliver: async (emit) => {
      answers.push(emit);
      return undefined;
    },
    writer: 'robustness-agent, embedded',
  });
  const emit = answers.at(-1);
  if (emit === undefined) throw new Error('the tick gave no answer');
  return { emit, findings, snapshot, problems: report.problems };
}

function otherDirectory({ session_dir: named }: JsonObject, sessionDir: string): string[] {
  if (typeof named !== 'string' || resolve(named) === sessionDir) return [];
  return [`options.session_dir is ${named}, but this reactor serves ${sessionDir}; ignored`];
}
