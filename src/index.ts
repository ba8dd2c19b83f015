/** The agent as a library: everything that another program may rely on. */
export type { ConfigValue } from './foreign/config-field.js';
export type { Json, JsonObject } from './foreign/json.js';
export type {
  ConversationProgress,
  InboxItem,
  PhaseBudgetRow,
  SharedState,
} from './reactor/context.js';
export {
  createReactor,
  type Reactor,
  type ReactorAnswer,
  type ReactorRequest,
  type ReactorSettings,
} from './reactor/create-reactor.js';
export type { Emit, LlmUsage } from './reactor/emit.js';
export type { Finding, WireIntent } from './reactor/findings/finding.js';
export {
  type FindingsLine,
  findingsFiles,
  findingsIds,
  readFindings,
} from './reactor/findings/read-findings.js';

export { type ParsedPrompt, parsePrompt } from './reactor/prompt/parse-prompt.js';
export { ReactorError } from './reactor/reactor-error.js';
export type { TickLog } from './reactor/tick-log.js';
export type { Snapshot } from './sources/snapshot.js';
