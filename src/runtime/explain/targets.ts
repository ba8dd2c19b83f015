import { splitKey } from '../../decision/ladder/key.js';
import { type JsonObject, objectOr } from '../../foreign/json.js';
import type { Finding } from '../../reactor/findings/finding.js';
import { findingId } from '../../reactor/findings/finding-id.js';
import { readFindings } from '../../reactor/findings/read-findings.js';
import { symptomKey } from '../../signals/symptom.js';
import type { LastPresence } from './last-presence.js';

/** One key to explain, with the finding that is meant. */
export interface Target {
  readonly key: string;
  readonly finding: Finding | undefined;
}

const MAX_TARGETS = 20;

/** The finding with this id as a target; undefined when there is none. */
export async function findingTarget(
  id: string,
  files: readonly string[],
  knownKeys: readonly string[],
): Promise<Target | undefined> {
  let found: Finding | undefined;
  for await (const line of readFindings(files)) {
    if (line.ok && findingId(line.finding) === id) found = line.finding;
  }
  return found && { key: keyOf(found, knownKeys), finding: found };
}

/** Every key of a symptom that was found or is present, the latest first. */
export async function symptomTargets(
  name: string,
  files: readonly string[],
  knownKeys: readonly string[],
  presence: LastPresence | undefined,
): Promise<Target[]> {
  const last = new Map<string, Target>();
  for (const key of presence?.present ?? []) {
    if (splitKey(key).name === name) last.set(key, { key, finding: undefined });
  }
  for await (const line of readFindings(files)) {
    if (!line.ok || line.finding.symptom_name !== name) continue;
    const key = keyOf(line.finding, knownKeys);
    // Deleted first, so that the order is that of the last finding.
    last.delete(key);
    last.set(key, { key, finding: line.finding });
  }
  return [...last.values()].toReversed().slice(0, MAX_TARGETS);
}

/** Keys that the ladder or the last evaluation knows. */
export function knownKeys(rawSlot: JsonObject, presence: LastPresence | undefined): string[] {
  const stored = [rawSlot['last_emitted'], rawSlot['keys']].flatMap((map) => Object.keys(objectOr(map)));
  return [...new Set([...stored, ...(presence?.present ?? [])])];
}

/** The ladder's key of a finding; a key may name what only the evidence tells (spec 03 phase_budget-1). */
function keyOf(finding: Finding, known: readonly string[]): string {
  const { symptom_name: name, subject, evidence } = finding;
  const plain = symptomKey({ name, subject });
  if (known.includes(plain)) return plain;
  const told = { ...evidence, ...subject };
  const byEvidence = known.find((key) => {
    const parts = splitKey(key);
    return (
      parts.name === name && Object.entries(parts.subject).every(([pair, value]) => told[pair] === value)
    );
  });
  return byEvidence ?? plain;
}
