import { isKilled } from '../../decision/rca/engine-choice.js';
import { pickFields } from '../../foreign/config-field.js';
import { isCancelledResult } from '../../investigate/model/heal-result.js';
import type { CarriedReceipt } from '../../investigate/previous-turn.js';
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
import { sourcesFields } from '../../sources/config.js';
import { type BeginOptions, beginInvestigation } from '../investigate/begin.js';
import { withChatSettings } from './chat-settings.js';
import { ConversationMemory } from './conversation-memory.js';

export type ChatInvestigatorOptions = Pick<
  BeginOptions,
  'sessionDir' | 'sessionId' | 'root' | 'settings' | 'env' | 'useModel' | 'onTraceLost'
>;

/** The engine behind the chat: each run with the operator's settings and those of its conversation. */
export function createChatInvestigator(options: ChatInvestigatorOptions): Investigator {
  const memory = new ConversationMemory();
  return {
    usesModel: usesModel(options),
    capabilities: (settings) => capabilitiesOf(options, settings),
    async start({ investigationId, sessionId, issue, settings }, onEvent, signal) {
      const previous = memory.of(sessionId);
      let receipts: readonly CarriedReceipt[] = [];
      const result = await beginInvestigation({
        ...options,
        settings: withChatSettings(options.settings, settings),
        repo: settings.repo,
        investigationId,
        question: questionOf(issue),
        signal,
        ...(previous && { previous }),
        onEnd: (carried) => {
          receipts = carried;
        },
        onPhase: (phase, budget) => onEvent({ type: 'progress', phase, budget }),
        onStep: (step, { receipt_id, status }) => onEvent({ type: 'step', ...step, receipt_id, status }),
      });
      if (!isCancelledResult(result)) memory.remember(sessionId, issue.description, result, receipts);
      return result;
    },
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
  const { sessionDir } = options;
  const { config, services, agent, e2bApiKey } = withChatSettings(options.settings, settings);
  const hasToken = services.githubToken !== undefined;
  const github =
    settings.repo !== null && (hasToken || config.githubMcpCommand.length > 0 || config.githubMcpUrl !== '');
  const source = config.sourceRoots.length > 0;
  const isThere: Readonly<Record<Capability, boolean>> = {
    jaeger: config.jaegerUrl !== '',
    loki: config.lokiUrl !== '',
    github,
    sandbox:
      usesModel(options) && (github || source) && mayHaveSandbox(config.sandboxDriver, e2bApiKey !== null),
    session: sessionDir !== null,
    source,
    snapshot: !pickFields(sourcesFields, agent).disable_local_probe,
  };
  return {
    configured: CAPABILITIES.filter((name) => isThere[name]),
    unavailable: CAPABILITIES.filter((name) => !isThere[name]),
    needs_input: settings.repo === null ? ['repo'] : [],
  };
}
