import { readFileSync } from 'node:fs';
import { isObject, parseJson } from '../../foreign/json.js';
import { secretValues } from '../../foreign/redact.js';
import { statOf } from '../../foreign/stat.js';
import type { InvestigateConfig } from '../../investigate/config.js';
import { modelCredentials, modelSecrets } from '../../investigate/loop/open-model.js';
import type { Question } from '../../investigate/question.js';
import {
  type RunTape,
  recordingTape,
  replayTape,
  type TapeFacts,
} from '../../investigate/replay/run-tape.js';
import { createRedactor } from '../../investigate/safety/redactor.js';
import { UserError } from '../shared/user-error.js';

const MAX_BYTES = 256 * 1024 * 1024;
/** Stands for an origin that a replay never asks. */
const NOWHERE = 'http://replay.invalid';

export interface RecordRequest {
  readonly path: string;
  readonly question: Question;
  readonly sessionId: string | null;
  readonly repo: string | null;
  readonly useModel: boolean;
  /** The promoted text of the prompt; the built-in one unless given. */
  readonly duties?: string;
  readonly config: InvestigateConfig;
  readonly env: NodeJS.ProcessEnv;
  /** Values that may be shown nowhere, beside those of the environment. */
  readonly masked: readonly string[];
}

/**
 * Begins the recording of a run.
 *
 * @throws UserError `RA_CASSETTE` when it cannot be written
 */
export function openRecording(request: RecordRequest): RunTape {
  const { config, repo } = request;
  const { redact } = redactorOf(request);
  const facts: TapeFacts = {
    question: redact(JSON.stringify(request.question)),
    ...(config.jaegerUrl === '' ? {} : { jaeger: 'yes' }),
    ...(config.lokiUrl === '' ? {} : { loki: 'yes' }),
    ...(repo === null ? {} : { repo }),
    ...(request.sessionId === null ? {} : { session: request.sessionId }),
    ...modelFacts(request),
    ...(request.duties === undefined ? {} : { duties: redact(request.duties) }),
  };
  const opened = recordingTape(request.path, facts, redact);
  if (opened.ok) return opened.value;
  throw cassetteError(request.path, opened.problem);
}

/** Which models a replay stands for; none without a key. */
function modelFacts({ config, env, useModel }: RecordRequest): TapeFacts {
  const { model: wanted, verifierEnabled, verifierModel } = config;
  const { provider, model, key } = modelCredentials(env, wanted);
  if (!useModel || key === '') return {};
  const verifier =
    verifierEnabled && verifierModel !== '' ? modelCredentials(env, verifierModel).model : null;
  return { provider, model, ...(verifier === null ? {} : { verifier }) };
}

export interface Replay {
  readonly tape: RunTape;
  readonly facts: TapeFacts;
  readonly question: Question;
}

/**
 * Opens a recorded run.
 *
 * @throws UserError `RA_CASSETTE` when it is none
 */
export function openReplay(path: string, secrets: Secrets): Replay {
  const size = statOf(path)?.size;
  if (size === undefined) throw cassetteError(path, 'there is no such file');
  if (size > MAX_BYTES) throw cassetteError(path, `${size} bytes, limit ${MAX_BYTES}`);
  const opened = replayTape(readFileSync(path, 'utf8'), redactorOf(secrets).redact);
  if (!opened.ok) throw cassetteError(path, opened.problem);
  const { tape, facts } = opened.value;
  const question = parseQuestion(facts['question'] ?? '');
  if (question === null) throw cassetteError(path, 'its header holds no question');
  return { tape, facts, question };
}

/** The settings under which a recorded run has the tools that it had. */
export function replayConfig(config: InvestigateConfig, facts: TapeFacts): InvestigateConfig {
  return {
    ...config,
    jaegerUrl: facts['jaeger'] === undefined ? '' : NOWHERE,
    lokiUrl: facts['loki'] === undefined ? '' : NOWHERE,
    githubApiUrl: NOWHERE,
    githubMcpCommand: [],
    githubMcpUrl: '',
    sourceRoots: [],
  };
}

function parseQuestion(source: string): Question | null {
  const parsed = parseJson(source);
  if (!parsed.ok || !isObject(parsed.value)) return null;
  const { text, incidentUnix, windowMinutes } = parsed.value;
  if (typeof text !== 'string' || typeof incidentUnix !== 'number' || typeof windowMinutes !== 'number')
    return null;
  const question: Question = JSON.parse(source);
  return question;
}

type Secrets = Pick<RecordRequest, 'env' | 'masked'>;

function redactorOf({ env, masked }: Secrets): { redact: (text: string) => string } {
  const redactor = createRedactor([...secretValues(env), ...masked, ...modelSecrets(env)]);
  return { redact: redactor.text };
}

function cassetteError(path: string, problem: string): UserError {
  return new UserError({
    code: 'RA_CASSETTE',
    happened: `the recording ${path} cannot be used: ${problem}`,
    expected: 'a file that investigate --record wrote, or can write',
    todo: 'check the path',
  });
}
