import { groupBy } from '../../../foreign/group-by.js';
import {
  finiteNumber,
  integer,
  type Json,
  type JsonObject,
  nonBlank,
  objectsOf,
} from '../../../foreign/json.js';
import { pythonText } from '../../../foreign/python-text.js';
import { isTruthy } from '../../../foreign/python-truth.js';
import { type Symptom, severityRank, symptomKey } from '../../symptom.js';

export interface IntegrateLimits {
  readonly minKeepGainPct: number;
  readonly dispatchEpsilonPct: number;
}

/** A file that said something, in the version that said it. */
export interface Artefact {
  readonly path: string;
  /** Unix s. */
  readonly mtime: number;
}

/** A symptom and the artefact that gave rise to it; without one it cannot be latched. */
export interface Finding {
  readonly symptom: Symptom;
  readonly artefact: Artefact | undefined;
}

/** What the integrate results of a session show, in list order, the checks of one entry in the order of spec 04 §2. */
export function integrateFindings(entries: Json | undefined, limits: IntegrateLimits): Finding[] {
  return objectsOf(entries)
    .filter((entry) => entry['decision'] === 'KEEP' || entry['decision'] === 'PARTIAL')
    .flatMap((entry) => {
      const artefact = artefactOf(entry['result_path'], entry['mtime']);
      const symptoms = [emptyPatch(entry), belowThreshold(entry, limits), notDispatched(entry, limits)];
      return symptoms.flatMap((symptom) => (symptom ? [{ symptom, artefact }] : []));
    });
}

/** The artefact, when both path and mtime are known (spec 04 decision_audit-1). */
export function artefactOf(path: Json | undefined, mtime: Json | undefined): Artefact | undefined {
  const file = nonBlank(path);
  const time = finiteNumber(mtime);
  return file === undefined || time === undefined ? undefined : { path: file, mtime: time };
}

/**
 * One finding per key: of the most severe ones the first that is not standing yet, with the number of entries that it stands
 * for (spec 04 decision_audit-2).
 */
export function foldEntries(findings: readonly Finding[]): Symptom[] {
  const byKey = groupBy(findings, ({ symptom }) => symptomKey(symptom));
  return [...byKey.values()].flatMap((group) => {
    const top = Math.max(...group.map(({ symptom }) => severityRank(symptom.severity)));
    const severest = group.filter(({ symptom }) => severityRank(symptom.severity) === top);
    const shown = severest.find(({ symptom }) => !symptom.standing) ?? severest[0];
    if (!shown) return [];
    const { symptom } = shown;
    return [{ ...symptom, evidence: { ...symptom.evidence, entries_matched: group.length } }];
  });
}

function emptyPatch(entry: JsonObject): Symptom | undefined {
  const size = integer(entry['patch_size_bytes']);
  const isEmpty = size !== undefined && size <= 0;
  if (!isEmpty && !patchIsMissing(entry)) return undefined;
  const patchPath = entry['patch_path'];
  const subjectPath = patchPath === null || patchPath === undefined ? '' : pythonText(patchPath);
  return {
    name: 'empty_patch_kept',
    severity: isEmpty ? 'high' : 'medium',
    subject: { kernel_id: pythonText(kernelIdOf(entry)), patch_path: subjectPath },
    source: 'local',
    summary: isEmpty
      ? `${pythonText(entry['decision'])} for kernel ${kernelText(entry)} although its patch has ${size} bytes`
      : `KEEP for kernel ${kernelText(entry)} although its patch file does not exist`,
    suggestion: 'Revert the decision and record that an empty patch is never acceptable.',
    evidence: {
      kernel_id: kernelIdOf(entry),
      decision: entry['decision'],
      gain_pct: entry['gain_pct'] ?? null,
      patch_path: patchPath ?? null,
      patch_size_bytes: isEmpty ? size : null,
      result_path: entry['result_path'] ?? null,
      ...(!isEmpty && { patch_missing: true }),
    },
  };
}

/** The collector looked for the patch of a KEEP and did not find it (spec 04 decision_audit-3). */
function patchIsMissing(entry: JsonObject): boolean {
  return (
    entry['decision'] === 'KEEP' &&
    entry['patch_exists'] === false &&
    nonBlank(entry['patch_path']) !== undefined
  );
}

function belowThreshold(entry: JsonObject, { minKeepGainPct }: IntegrateLimits): Symptom | undefined {
  const gain = finiteNumber(entry['gain_pct']);
  if (entry['decision'] !== 'KEEP' || gain === undefined || gain >= minKeepGainPct) return undefined;
  return {
    name: 'decision_threshold_violated',
    severity: 'medium',
    subject: { kernel_id: pythonText(kernelIdOf(entry)) },
    source: 'local',
    summary: `KEEP for kernel ${kernelText(entry)} with a gain of ${gain}%, below the ${minKeepGainPct}% that keeping needs`,
    suggestion:
      'Raise the keep threshold to at least 1% and ask for several seeds before keeping anything below it.',
    evidence: {
      kernel_id: kernelIdOf(entry),
      gain_pct: gain,
      min_keep_gain_pct: minKeepGainPct,
      result_path: entry['result_path'] ?? null,
    },
  };
}

function notDispatched(entry: JsonObject, { dispatchEpsilonPct }: IntegrateLimits): Symptom | undefined {
  if (entry['decision'] !== 'KEEP') return undefined;
  const count = entry['dispatched_count'] ?? null;
  const gain = finiteNumber(entry['gain_pct']);
  const countedZero = count === 0;
  const looksUnchanged = count === null && gain !== undefined && Math.abs(gain) < dispatchEpsilonPct;
  if (!countedZero && !looksUnchanged) return undefined;
  return {
    name: 'kernel_dispatch_bypassed',
    severity: 'high',
    subject: { kernel_id: pythonText(kernelIdOf(entry)) },
    source: 'local',
    summary: countedZero
      ? `KEEP for kernel ${kernelText(entry)}, but the profiler counted 0 dispatches of it`
      : `KEEP for kernel ${kernelText(entry)} without a dispatch count, and before and after differ by ${gain}% ` +
        `(less than ${dispatchEpsilonPct}%): it probably never ran`,
    suggestion:
      'Revert this KEEP and ask for profiler evidence of at least one dispatch before the next one.',
    evidence: {
      kernel_id: kernelIdOf(entry),
      gain_pct: gain ?? null,
      dispatch_bypass_pre_post_epsilon_pct: dispatchEpsilonPct,
      result_path: entry['result_path'] ?? null,
      dispatched_count: count,
    },
  };
}

function kernelIdOf(entry: JsonObject): Json {
  const id = entry['kernel_id'];
  return id !== undefined && isTruthy(id) ? id : 'unknown';
}

function kernelText(entry: JsonObject): string {
  return pythonText(kernelIdOf(entry));
}
