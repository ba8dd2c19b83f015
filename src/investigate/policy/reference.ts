import { normalizeServiceReference } from '../evidence/entities.js';
import type { ConfidenceLevel } from '../model/confidence.js';
import type { ErrorType } from '../model/error-type.js';
import type { ReferenceReceipt } from './reference-ledger.js';

/** What the reference's governor sees in a ledger (spec 07 A9). */
export type ReferenceSignals = {
  readonly jaeger_ok: boolean;
  readonly loki_ok: boolean;
  readonly github_ok: boolean;
  readonly github_file: boolean;
  readonly services_compared: boolean;
  readonly services_agree: boolean;
  readonly obs_corroboration: boolean;
  readonly source_anchored: boolean;
};

type Receipts = readonly Pick<ReferenceReceipt, 'family' | 'success' | 'service' | 'file_path'>[];

/** Distinct services of the successful receipts of a family, sorted. */
export function servicesSeen(receipts: Receipts, family: ReferenceReceipt['family']): string[] {
  const names = receipts.flatMap(({ family: own, success, service }) =>
    own === family && success && service ? [service] : [],
  );
  return [...new Set(names)].sort();
}

export function referenceSignals(receipts: Receipts): ReferenceSignals {
  const ok = (family: ReferenceReceipt['family']): boolean =>
    receipts.some((receipt) => receipt.family === family && receipt.success);
  const [jaegerOk, lokiOk, githubOk] = [ok('jaeger'), ok('loki'), ok('github')];
  const traced = servicesSeen(receipts, 'jaeger').map(normalizeServiceReference);
  const logged = servicesSeen(receipts, 'loki').map(normalizeServiceReference);
  const compared = jaegerOk && lokiOk && traced.length > 0 && logged.length > 0;
  const agree = !compared || traced.some((service) => logged.includes(service));
  const hasFile = receipts.some(
    ({ family, success, file_path }) => family === 'github' && success && file_path,
  );
  return {
    jaeger_ok: jaegerOk,
    loki_ok: lokiOk,
    github_ok: githubOk,
    github_file: hasFile,
    services_compared: compared,
    services_agree: agree,
    obs_corroboration: jaegerOk && lokiOk && agree,
    source_anchored: githubOk && hasFile,
  };
}

/** The band that the reference allows (spec 07 A9); only for parity tests and comparison runs. */
export function referenceBand(
  type: ErrorType,
  { obs_corroboration, source_anchored }: ReferenceSignals,
  reproduced: boolean,
): ConfidenceLevel {
  if (type === 'unknown') return 'low';
  if (source_anchored && (reproduced || obs_corroboration)) return 'high';
  return obs_corroboration || source_anchored ? 'medium' : 'low';
}
