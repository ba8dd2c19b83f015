import { defaultsOf } from '../../foreign/config-field.js';
import type { Json, JsonObject } from '../../foreign/json.js';
import type { Redact } from '../../foreign/redact.js';
import { statOf } from '../../foreign/stat.js';
import type { WriteFailure } from '../../foreign/write-file.js';
import { type AgentConfig, agentFields } from '../../reactor/config/fields.js';
import { appendLines } from '../../reactor/findings/append-lines.js';
import type { TickRequest } from '../../reactor/request/parse-request.js';
import type { Slots } from '../../reactor/store/slots.js';
import type { Snapshot } from '../../sources/snapshot.js';

/** What one recorded tick consisted of. */
export interface RecordedTick {
  readonly request: TickRequest;
  readonly sessionDir: string;
  readonly nowUnix: number;
  readonly config: AgentConfig;
  readonly snapshot: Snapshot;
  /** The state that the tick found; stored with the first line of a file, so that a replay starts where the tick did. */
  readonly slots: Slots;
}

const SECRET_FIELD = /(?:key|token|secret|password)$/;

/** Appends one line that `replay` decides as the tick did (spec 01 §1.2); every text is redacted. */
export function appendRecording(path: string, tick: RecordedTick, redact: Redact): WriteFailure | undefined {
  const isFirst = (statOf(path)?.size ?? 0) === 0;
  const line = {
    request: {
      kind: 'coordinator_inbox',
      session_id: tick.request.sessionId,
      raw_prompt: tick.request.rawPrompt,
      context: { tick_index: tick.request.tickIndex, now_unix: tick.nowUnix },
      options: { ...changedFields(tick.config), session_dir: tick.sessionDir, llm_rca_enabled: false },
    },
    sources: { ...tick.snapshot },
    ...(isFirst ? { state: { ...tick.slots } } : {}),
  };
  return appendLines(path, [JSON.stringify(redacted(line, redact))], {
    rotateAt: Number.POSITIVE_INFINITY,
    mayRotate: false,
  });
}

/** The settings that differ from their default; the others would only repeat it. */
function changedFields(config: AgentConfig): JsonObject {
  const defaults = defaultsOf(agentFields());
  return Object.fromEntries(
    Object.entries(config).filter(
      ([name, value]) => !SECRET_FIELD.test(name) && JSON.stringify(value) !== JSON.stringify(defaults[name]),
    ),
  );
}

function redacted(value: Json | undefined, redact: Redact): Json {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => redacted(item, redact));
  if (typeof value !== 'object' || value === null) return value ?? null;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, redacted(item, redact)]));
}
