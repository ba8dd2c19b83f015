import { finiteNumber, type JsonObject, listOr, text } from '../../../foreign/json.js';
import { symptomKey } from '../../symptom.js';
import type { Artefact, Finding } from './integrate-entries.js';

/** More artefacts are not remembered; the oldest are forgotten first. */
const MAX_REPORTED = 256;

/** A symptom that was said about an artefact: key in text form, path, mtime (spec 04 decision_audit-1). */
export type Report = readonly [key: string, path: string, mtime: number];

export type AuditState = { readonly reported: readonly Report[] };

/** The remembered reports; whatever is malformed is skipped. */
export function parseReports(raw: JsonObject): AuditState {
  const reported = listOr(raw['reported']).flatMap((item): Report[] => {
    const [key, path, mtime] = listOr(item);
    const report = [text(key), text(path), finiteNumber(mtime)] as const;
    return isComplete(report) ? [report] : [];
  });
  return { reported: reported.slice(-MAX_REPORTED) };
}

function isComplete(
  report: readonly [string | undefined, string | undefined, number | undefined],
): report is Report {
  return report.every((part) => part !== undefined);
}

/** True when this very artefact was reported under the symptom's key before. */
export function wasReported({ reported }: AuditState, { symptom, artefact }: Finding): boolean {
  const key = symptomKey(symptom);
  return artefact !== undefined && reported.some((report) => isReportOf(report, key, artefact));
}

/** Remembers these findings as said; artefacts that cannot be identified are not remembered. */
export function withReports(state: AuditState, said: readonly Finding[]): AuditState {
  const reported = [...state.reported];
  for (const { symptom, artefact } of said) {
    const key = symptomKey(symptom);
    if (!artefact || reported.some((report) => isReportOf(report, key, artefact))) continue;
    reported.push([key, artefact.path, artefact.mtime]);
  }
  return reported.length === state.reported.length ? state : { reported: reported.slice(-MAX_REPORTED) };
}

function isReportOf([key, path, mtime]: Report, wanted: string, artefact: Artefact): boolean {
  return key === wanted && path === artefact.path && mtime === artefact.mtime;
}
