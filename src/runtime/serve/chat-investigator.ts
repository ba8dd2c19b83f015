import { isKilled } from '../../decision/rca/engine-choice.js';
import type { Question } from '../../investigate/question.js';
import { mayHaveSandbox } from '../../investigate/sandbox/open.js';
import type {
  CapabilityReport,
  Question as ChatQuestion,
  ChatSettings,
  Investigator,
} from '../../investigate/server/investigator.js';
import { CAPABILITIES, type Capability } from '../../investigate/tools/tool.js';
import { discoverCredentials, INVESTIGATE_DISCOVERY } from '../../llm/credentials.js';
import { type BeginOptions, beginInvestigation, investigateConfig } from '../investigate/begin.js';
import { chatEnvironment } from './chat-environment.js';

export type ChatInvestigatorOptions = Pick<
  BeginOptions,
  'sessionDir' | 'sessionId' | 'root' | 'env' | 'cwd' | 'useModel'
>;

/** The engine behind the chat: each run with the operator's settings and those of its conversation. */
export function createChatInvestigator(options: ChatInvestigatorOptions): Investigator {
  return {
    usesModel: usesModel(options),
    capabilities: (settings) => capabilitiesOf(options, settings),
    start: ({ investigationId, issue, settings }, onEvent, signal) =>
      beginInvestigation({
        ...options,
        env: chatEnvironment(options.env, settings),
        repo: settings.repo,
        investigationId,
        question: questionOf(issue),
        signal,
        onPhase: (phase, budget) => onEvent({ type: 'progress', phase, budget }),
        onStep: (step, { receipt_id, status }) => onEvent({ type: 'step', ...step, receipt_id, status }),
      }),
  };
}

function usesModel({ useModel, env }: ChatInvestigatorOptions): boolean {
  return useModel && !isKilled(env) && discoverCredentials(env, INVESTIGATE_DISCOVERY).key !== '';
}

function questionOf(issue: ChatQuestion['issue']): Question {
  return {
    text: issue.description,
    symptom: null,
    subject: {},
    key: null,
    serviceName: issue.service_name,
    traceId: issue.trace_id,
    windowMinutes: issue.time_window_minutes,
    incidentUnix: Date.now() / 1000,
    snapshot: null,
  };
}

/** What is configured, without asking any of it (spec 07 A1.3, B4). */
function capabilitiesOf(options: ChatInvestigatorOptions, settings: ChatSettings): CapabilityReport {
  const { env, sessionDir } = options;
  const own = chatEnvironment(env, settings);
  const { config } = investigateConfig(own);
  const isSet = (...names: string[]): boolean => names.some((name) => (own[name] ?? '').trim() !== '');
  const hasToken = isSet('INVESTIGATE_GITHUB_TOKEN', 'GITHUB_TOKEN');
  const github = settings.repo !== null && (hasToken || config.githubMcpCommand.length > 0);
  const source = config.sourceRoots.length > 0;
  const isThere: Readonly<Record<Capability, boolean>> = {
    jaeger: config.jaegerUrl !== '',
    loki: config.lokiUrl !== '',
    github,
    sandbox: usesModel(options) && (github || source) && mayHaveSandbox(config.sandboxDriver),
    session: sessionDir !== null,
    source,
    snapshot: true,
  };
  return {
    configured: CAPABILITIES.filter((name) => isThere[name]),
    unavailable: CAPABILITIES.filter((name) => !isThere[name]),
    needs_input: settings.repo === null ? ['repo'] : [],
  };
}
