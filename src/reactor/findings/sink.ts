import { asciiJson } from '../../foreign/ascii-json.js';
import { fitBytes } from '../../foreign/hygiene.js';
import { isObject, type JsonObject } from '../../foreign/json.js';
import type { WriteFailure } from '../../foreign/write-file.js';
import type { PresenceLine } from '../generated/wire-types.js';
import { findingsPath, presencePath } from '../store/paths.js';
import { appendLines } from './append-lines.js';
import type { Finding } from './finding.js';

/** Largest line of the findings file, bytes. */
export const MAX_FINDING_BYTES = 64 * 1024;
const FINDINGS_ROTATE_AT = 64 * 1024 * 1024;
const PRESENCE_ROTATE_AT = 16 * 1024 * 1024;

export interface SinkTarget {
  readonly sessionDir: string;
  readonly sessionId: string;
  /** True for the holder of the state lock. */
  readonly mayRotate: boolean;
}

/** Appends the findings of a tick in one write; readers of other languages find one whole ASCII object per line. */
export function appendFindings(target: SinkTarget, findings: readonly Finding[]): WriteFailure | undefined {
  const path = findingsPath(target.sessionDir, target.sessionId);
  return appendLines(path, findings.map(findingLine), {
    rotateAt: FINDINGS_ROTATE_AT,
    mayRotate: target.mayRotate,
  });
}

/** Appends a tick's presence line (spec 01 §6). */
export function appendPresence(target: SinkTarget, presence: PresenceLine): WriteFailure | undefined {
  const path = presencePath(target.sessionDir, target.sessionId);
  return appendLines(path, [asciiJson(presence)], {
    rotateAt: PRESENCE_ROTATE_AT,
    mayRotate: target.mayRotate,
  });
}

/** Evidence budgets to try when a line is too long, bytes; it occurs in the finding and again in its intents. */
const EVIDENCE_STEPS = [16 * 1024, 8 * 1024, 2 * 1024, 0];

/** A finding as a line; one that is too long or cannot be serialised loses evidence, never itself. */
function findingLine(finding: Finding): string {
  const whole = serialise(finding);
  if (whole !== undefined && whole.length <= MAX_FINDING_BYTES) return whole;
  for (const step of EVIDENCE_STEPS) {
    const line = serialise({
      ...finding,
      intents: finding.intents.map(({ intent_type, payload }) => ({
        intent_type,
        payload: withSmallerEvidence(payload, step),
      })),
      evidence: shrunk(finding.evidence, step),
    });
    if (line !== undefined && line.length <= MAX_FINDING_BYTES) return line;
  }
  return serialise({ ...finding, intents: [], evidence: { truncated: true } }) ?? '';
}

function shrunk(evidence: JsonObject, maxBytes: number): JsonObject {
  return { ...(maxBytes > 0 ? fitBytes(evidence, maxBytes).value : {}), truncated: true };
}

/** An intent's payload with every `evidence` object below it cut to size. */
function withSmallerEvidence(payload: JsonObject, maxBytes: number): JsonObject {
  return Object.fromEntries(
    Object.entries(payload).map(([key, value]) => {
      if (!isObject(value)) return [key, value];
      return [key, key === 'evidence' ? shrunk(value, maxBytes) : withSmallerEvidence(value, maxBytes)];
    }),
  );
}

/** The finding as ASCII JSON, so that its length is its size in bytes; undefined when it cannot be serialised. */
function serialise(finding: Finding): string | undefined {
  try {
    return asciiJson(finding);
  } catch {
    return undefined;
  }
}
