import { basename, join } from 'node:path';
import { pickFields } from '../../foreign/config-field.js';
import { secretValues } from '../../foreign/redact.js';
import type { InvestigateConfig } from '../../investigate/config.js';
import { modelContinuation, modelSecrets, openModel } from '../../investigate/loop/open-model.js';
import type { HealResult } from '../../investigate/model/heal-result.js';
import type { Receipt } from '../../investigate/model/receipt.js';
import type { Question } from '../../investigate/question.js';
import { readInvestigateConfig } from '../../investigate/read-config.js';
import { LIVE, type RunTape, type TapeFacts } from '../../investigate/replay/run-tape.js';
import type { OpenedReproducing } from '../../investigate/replay/sandbox.js';
import { investigate, type RunSetup } from '../../investigate/run.js';
import { createRedactor, Secret } from '../../investigate/safety/redactor.js';
import { repositorySource } from '../../investigate/sandbox/clone.js';
import { openSandbox } from '../../investigate/sandbox/open.js';
import { reproduceInSandbox } from '../../investigate/sandbox/reproduce-tool.js';
import { localSource, type SandboxSource } from '../../investigate/sandbox/source.js';
import { createArtefacts } from '../../investigate/store/artefacts.js';
import { investigationId } from '../../investigate/store/paths.js';
import { openServices, type ServiceSecrets, type Services } from '../../investigate/tools/service-tools.js';
import { openSessionFiles } from '../../investigate/tools/session/session.js';
import { sessionTools } from '../../investigate/tools/session/session-tools.js';
import { openSourceRoots } from '../../investigate/tools/session/source-slice.js';
import { type ReadSnapshot, systemSnapshot } from '../../investigate/tools/session/system-snapshot.js';
import type { Tool } from '../../investigate/tools/tool.js';
import type { ChatModel } from '../../llm/chat.js';
import { sourcesFields } from '../../sources/config.js';
import { loadConfig } from '../shared/load-config.js';
import { UserError } from '../shared/user-error.js';
import { abnormalThresholds, machineReading } from './machine-reading.js';
import { sessionDatabase } from './session-database.js';
import { replayConfig } from './tape.js';

export interface BeginOptions {
  readonly sessionDir: string | null;
  readonly sessionId: string | null;
  /** Where the files go. */
  readonly root: string;
  readonly question: Question;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly repo: string | null;
  readonly useModel: boolean;
  /** The policy; the configured one unless given. */
  readonly profile?: InvestigateConfig['profile'];
  readonly signal: AbortSignal;
  readonly onReceipt?: (receipt: Receipt) => void;
  readonly onStep?: RunSetup['onStep'];
  readonly onPhase?: RunSetup['onPhase'];
  /** Made by whoever must know it before the run has begun. */
  readonly investigationId?: string;
  /** Where clock, randomness and answers come from; this machine unless given. */
  readonly tape?: RunTape;
  /** What the run had that is replayed. */
  readonly replayed?: TapeFacts;
}

/**
 * One investigation with what this machine, session and environment offer.
 *
 * @throws UserError `RA_CONFIG_INVALID` for settings that cannot be used
 */
export async function beginInvestigation(options: BeginOptions): Promise<HealResult> {
  const { sessionDir, question, env, signal } = options;
  const { config: configured, warnings } = investigateConfig(env);
  const { replayed } = options;
  const chosen = options.profile === undefined ? configured : { ...configured, profile: options.profile };
  const config = replayed === undefined ? chosen : replayConfig(chosen, replayed);
  const tape = options.tape ?? LIVE;
  const id = options.investigationId ?? investigationId(tape.now(), tape.random(4));
  const roots = openSourceRoots(config.sourceRoots);
  const source = tape.source(roots);
  const { config: agent } = loadConfig({ env, cwd: options.cwd, sessionDir });
  const thresholds = abnormalThresholds(agent);
  const { disable_local_probe: isDisabled, nodes } = pickFields(sourcesFields, agent);
  const mayProbe = tape.isThere('snapshot', !isDisabled && nodes <= 1);
  const read = mayProbe ? machineReading(sessionDir, agent, env) : null;
  const local = localTools(options, config, read, thresholds);
  const blind = mayProbe
    ? []
    : ['this machine was not looked at: local probes are off, or the session has several nodes'];
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(config.maxWallS * 1000)]);
  const repo = replayed === undefined ? options.repo : (replayed['repo'] ?? null);
  const secrets = replayed === undefined ? serviceSecrets(env) : { githubToken: new Secret('replayed') };
  const services = await openServices({
    config,
    secrets,
    repo,
    signal: deadline,
    wrap: tape.http,
  });
  const redactor = createRedactor([...secretValues(env), ...authValues(env), ...modelSecrets(env)]);
  const model = options.useModel ? tape.model(openModel(env, redactor.text)) : null;
  const repository = repositoryOf(services, repo, config, secrets);
  const sandbox = await tape.sandbox(() =>
    sandboxTool(model, config, [...repository, ...roots.map(localSource)]),
  );
  try {
    return await investigate({
      investigationId: id,
      question,
      tools: [
        ...services.tools,
        ...local.map(tape.tool),
        ...source.tools,
        ...(sandbox.made === null ? [] : [sandbox.made.tool]),
      ],
      trees: async () => [...(await services.trees()), ...source.trees],
      redactor,
      artefacts: createArtefacts(options.root, id, config.keep),
      config,
      now: tape.now,
      signal: deadline,
      warnings: tape.warnings([...warnings, ...services.warnings, ...sandbox.warnings, ...blind]),
      thresholds,
      ...(sandbox.made === null ? {} : { reproductions: sandbox.made.reproductions }),
      ...(model === null
        ? {}
        : { continueWithModel: modelContinuation(model, config, deadline, tape.random(8)) }),
      ...(options.onReceipt ? { onReceipt: options.onReceipt } : {}),
      ...(options.onStep ? { onStep: options.onStep } : {}),
      ...(options.onPhase ? { onPhase: options.onPhase } : {}),
    });
  } finally {
    sandbox.made?.close();
    await Promise.all([services.close(), model?.close()]);
  }
}

/** The repository as source for the sandbox, once it has answered. */
function repositoryOf(
  { tools, trees }: Services,
  name: string | null,
  { githubApiUrl }: InvestigateConfig,
  { githubToken }: ServiceSecrets,
): SandboxSource[] {
  if (name === null || !tools.some(({ capability }) => capability === 'github')) return [];
  const tree = async () => (await trees())[0] ?? null;
  return [repositorySource({ name, apiUrl: githubApiUrl, tree, ...(githubToken && { token: githubToken }) })];
}

/** The sandbox for a model that has source to run (spec 07 B13). */
async function sandboxTool(
  model: ChatModel | null,
  { sandboxDriver, sandboxWallS }: InvestigateConfig,
  sources: readonly SandboxSource[],
): Promise<OpenedReproducing> {
  if (model === null || sources.length === 0) return { made: null, warnings: [] };
  const { driver, warnings } = await openSandbox(sandboxDriver);
  if (driver === null) return { made: null, warnings };
  return { made: reproduceInSandbox({ driver, model, sources, wallS: sandboxWallS }), warnings };
}

/** Credentials of the services in an environment (spec 07 A1.1). */
function serviceSecrets(env: NodeJS.ProcessEnv): ServiceSecrets {
  const secret = (...names: string[]): Secret | undefined => {
    const value = names.map((name) => env[name]?.trim()).find((one) => one !== undefined && one !== '');
    return value === undefined ? undefined : new Secret(value);
  };
  const jaegerAuth = secret('INVESTIGATE_JAEGER_AUTH', 'JAEGER_AUTH');
  const lokiAuth = secret('INVESTIGATE_LOKI_AUTH', 'LOKI_AUTH');
  const githubToken = secret('INVESTIGATE_GITHUB_TOKEN', 'GITHUB_TOKEN');
  return {
    ...(jaegerAuth && { jaegerAuth }),
    ...(lokiAuth && { lokiAuth }),
    ...(githubToken && { githubToken }),
  };
}

/** Whole authorization values, and what follows their scheme. */
function authValues(env: NodeJS.ProcessEnv): string[] {
  return ['JAEGER_AUTH', 'LOKI_AUTH', 'INVESTIGATE_JAEGER_AUTH', 'INVESTIGATE_LOKI_AUTH'].flatMap((name) => {
    const value = env[name]?.trim() ?? '';
    return value === '' ? [] : [value, value.replace(/^\S+\s+/, '')];
  });
}

/**
 * The settings of the environment.
 *
 * @throws UserError `RA_CONFIG_INVALID`
 */
export function investigateConfig(env: NodeJS.ProcessEnv): {
  config: InvestigateConfig;
  warnings: readonly string[];
} {
  const { config, errors, warnings } = readInvestigateConfig(env);
  if (errors.length === 0) return { config, warnings };
  throw new UserError({
    code: 'RA_CONFIG_INVALID',
    happened: errors.join('. '),
    todo: 'correct it; docs/configuration.md lists every setting',
  });
}

function localTools(
  { sessionDir, sessionId, question, replayed }: BeginOptions,
  config: InvestigateConfig,
  read: ReadSnapshot | null,
  thresholds: ReturnType<typeof abnormalThresholds>,
): Tool[] {
  const snapshot =
    read === null ? [] : [systemSnapshot(read, thresholds, question.incidentUnix, config.stateMaxAgeS)];
  if (replayed !== undefined) {
    return replayed['session'] === undefined ? snapshot : [...shapesOnly(), ...snapshot];
  }
  if (sessionDir === null) return snapshot;
  const files = openSessionFiles(sessionDir, sessionId ?? basename(sessionDir));
  if (files === undefined) return snapshot;
  const hostOffsetS = -new Date().getTimezoneOffset() * 60;
  return [...sessionTools(files, sessionDatabase(files.root), hostOffsetS), ...snapshot];
}

/** The session tools by name and schema, for a replay that answers in their place. */
function shapesOnly(): Tool[] {
  const nothing = { files: [], truncated: false };
  const files = { root: '/', sessionId: '', logs: () => nothing, json: () => nothing };
  return sessionTools(files, async () => ({ ok: false, reason: 'a replay looks at nothing' }), 0);
}

/** Where the files of an investigation without a session go. */
export function defaultOut(cwd: string): string {
  return join(cwd, 'investigations');
}
