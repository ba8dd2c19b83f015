import { basename, join } from 'node:path';
import { pickFields } from '../../foreign/config-field.js';
import { secretValues } from '../../foreign/redact.js';
import type { InvestigateConfig } from '../../investigate/config.js';
import { modelContinuation, modelSecrets } from '../../investigate/loop/open-model.js';
import type { HealResult } from '../../investigate/model/heal-result.js';
import type { Receipt } from '../../investigate/model/receipt.js';
import type { Question } from '../../investigate/question.js';
import { LIVE, type RunTape, type TapeFacts } from '../../investigate/replay/run-tape.js';
import type { OpenedReproducing } from '../../investigate/replay/sandbox.js';
import { investigate, type RunSetup } from '../../investigate/run.js';
import { createRedactor, Secret } from '../../investigate/safety/redactor.js';
import { repositorySource } from '../../investigate/sandbox/clone.js';
import { openSandbox } from '../../investigate/sandbox/open.js';
import { reproduceInSandbox } from '../../investigate/sandbox/reproduce-tool.js';
import { localSource, type SandboxSource } from '../../investigate/sandbox/source.js';
import { type Artefacts, createArtefacts } from '../../investigate/store/artefacts.js';
import { investigationId } from '../../investigate/store/paths.js';
import { openServices, type ServiceSecrets, type Services } from '../../investigate/tools/service-tools.js';
import { openSessionFiles } from '../../investigate/tools/session/session.js';
import { sessionTools } from '../../investigate/tools/session/session-tools.js';
import { openSourceRoots } from '../../investigate/tools/session/source-slice.js';
import { type ReadSnapshot, systemSnapshot } from '../../investigate/tools/session/system-snapshot.js';
import type { Tool } from '../../investigate/tools/tool.js';
import type { ChatModel } from '../../llm/chat.js';
import { sourcesFields } from '../../sources/config.js';
import type { PromptInUse } from '../selfedit/prompt-in-use.js';
import { abnormalThresholds, machineReading } from './machine-reading.js';
import { investigatePrompt, promptPort, promptWarnings } from './prompt.js';
import { openRunModels, type RunModels } from './run-models.js';
import { sessionDatabase } from './session-database.js';
import type { InvestigateSettings } from './settings.js';
import { replayConfig } from './tape.js';

export interface BeginOptions {
  readonly sessionDir: string | null;
  readonly sessionId: string | null;
  /** Where the files go. */
  readonly root: string;
  readonly question: Question;
  readonly settings: InvestigateSettings;
  /** For the collectors, and for the endpoint and key of a model. */
  readonly env: NodeJS.ProcessEnv;
  readonly repo: string | null;
  readonly useModel: boolean;
  /** Aborted by whoever does not want the answer any more. */
  readonly signal: AbortSignal;
  readonly warnings?: readonly string[];
  readonly onReceipt?: (receipt: Receipt) => void;
  readonly onStep?: RunSetup['onStep'];
  readonly onPhase?: RunSetup['onPhase'];
  readonly onEnd?: RunSetup['onEnd'];
  readonly previous?: RunSetup['previous'];
  /** Made by whoever must know it before the run has begun. */
  readonly investigationId?: string;
  /** Where clock, randomness and answers come from; this machine unless given. */
  readonly tape?: RunTape;
  /** What the run had that is replayed. */
  readonly replayed?: TapeFacts;
  /** The prompt as promotions have it, where somebody has opened it already. */
  readonly prompt?: PromptInUse | null;
  /** Told when a trace of the conversation could not be stored; the result stands all the same. */
  readonly onTraceLost?: (reason: string) => void;
}

/** One investigation with what this machine, session and settings offer; always gives a result. */
export async function beginInvestigation(options: BeginOptions): Promise<HealResult> {
  const { sessionDir, question, settings, env, signal, replayed, tape = LIVE } = options;
  const { agent } = settings;
  const config = replayed === undefined ? settings.config : replayConfig(settings.config, replayed);
  const id = options.investigationId ?? investigationId(tape.now(), tape.random(4));
  const roots = openSourceRoots(config.sourceRoots);
  const source = tape.source(roots);
  const thresholds = abnormalThresholds(agent);
  const { disable_local_probe: isDisabled, nodes } = pickFields(sourcesFields, agent);
  const mayProbe = tape.isThere('snapshot', !isDisabled && question.skipsMachine !== true);
  const read = mayProbe ? machineReading(sessionDir, agent, env) : null;
  const local = localTools(options, config, read, thresholds);
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(config.maxWallS * 1000)]);
  const repo = replayed === undefined ? options.repo : (replayed['repo'] ?? null);
  const secrets = replayed === undefined ? settings.services : { githubToken: new Secret('replayed') };
  const services = await openServices({ config, secrets, repo, signal: deadline, wrap: tape.http });
  const redactor = createRedactor([...secretValues(env), ...settings.masked, ...modelSecrets(env)]);
  const seen = new Set(question.serviceName === null ? [] : [question.serviceName]);
  const models = options.useModel
    ? openRunModels({ env, config, tape, redact: redactor.text, isService: (name) => seen.has(name) })
    : null;
  models?.learn(`${question.text} ${JSON.stringify(question.subject)}`);
  const model = models?.model ?? null;
  const prompt = model === null || replayed !== undefined ? null : promptOf(options);
  const repository = repositoryOf(services, repo, config, secrets);
  const sandbox = await tape.sandbox(() =>
    sandboxTool(model, config, settings.e2bApiKey, [...repository, ...roots.map(localSource)]),
  );
  try {
    const result = await investigate({
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
      artefacts: learning(createArtefacts(options.root, id, config.keep), models),
      config: { ...config, verifierEnabled: models?.mayVerify ?? false },
      now: tape.now,
      signal: deadline,
      cancel: signal,
      warnings: tape.warnings([
        ...settings.warnings,
        ...(options.warnings ?? []),
        ...services.warnings,
        ...sandbox.warnings,
        ...(models?.warnings ?? []),
        ...blindSpots(mayProbe, nodes),
        ...promptWarnings(prompt),
      ]),
      thresholds,
      onReceipt: (receipt) => {
        for (const name of receipt.services) seen.add(name);
        options.onReceipt?.(receipt);
      },
      ...(sandbox.made === null ? {} : { reproductions: sandbox.made.reproductions }),
      ...(model === null
        ? {}
        : {
            continueWithModel: modelContinuation({
              model,
              ...(models?.verifier && { verifier: models.verifier }),
              config,
              signal: deadline,
              nonce: tape.random(8),
              ...promptPort(prompt, replayed, question, id),
            }),
          }),
      ...(options.onStep ? { onStep: options.onStep } : {}),
      ...(options.onPhase ? { onPhase: options.onPhase } : {}),
      ...(options.onEnd ? { onEnd: options.onEnd } : {}),
      ...(options.previous ? { previous: options.previous } : {}),
    });
    const lost = (await prompt?.flush())?.problem;
    if (lost !== undefined) options.onTraceLost?.(`${id}: ${lost}`);
    return result;
  } finally {
    sandbox.made?.close();
    await Promise.all([services.close(), models?.close()]);
  }
}

function promptOf({ prompt, settings, sessionId, env }: BeginOptions): PromptInUse | null {
  return prompt === undefined ? investigatePrompt(settings, sessionId, env) : prompt;
}

/** Files that let a model's masks know each result as it is stored, before it is shown. */
function learning(artefacts: Artefacts, models: RunModels | null): Artefacts {
  if (models === null) return artefacts;
  return {
    ...artefacts,
    payload: (receiptId, json) => {
      models.learn(json);
      artefacts.payload(receiptId, json);
    },
  };
}

/** What of the machines of a session nobody looks at (spec 07 B18). */
function blindSpots(mayProbe: boolean, nodes: number): string[] {
  return [
    ...(mayProbe ? [] : ['this machine was not looked at: disable_local_probe is on']),
    ...(nodes > 1 ? [`of the ${nodes} nodes of the session only what is on this one was looked at`] : []),
  ];
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
  e2bKey: Secret | null,
  sources: readonly SandboxSource[],
): Promise<OpenedReproducing> {
  if (model === null || sources.length === 0) return { made: null, warnings: [] };
  const { driver, warnings } = await openSandbox(sandboxDriver, e2bKey);
  if (driver === null) return { made: null, warnings };
  return { made: reproduceInSandbox({ driver, model, sources, wallS: sandboxWallS }), warnings };
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
