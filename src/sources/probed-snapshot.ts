import type { Collector } from './collector.js';
import type { SourcesConfig } from './config.js';
import type { ProbeResult } from './probe.js';
import type { FetchOutcome } from './router.js';
import { mergeSlots } from './slots.js';
import { COLLECTOR_NAMES, collectorReports, emptySnapshot, type Snapshot } from './snapshot.js';

/** Why the collectors of this host are silent. */
export const PROBE_DISABLED_REASON = 'the local probe is disabled (disable_local_probe)';

/** The snapshot of a source that looks at nothing and never fails (spec 02 §3.3). */
export function quietSnapshot(source: string, reason: string): Snapshot {
  return { ...emptySnapshot(), sources_used: [source], degraded_reason: reason };
}

/**
 * The snapshot that a probe amounts to. It is unavailable when not one collector answered, which leaves nothing but the
 * reasons.
 */
export function probedSnapshot(seen: ProbeResult, config: SourcesConfig, nowUnix: number): FetchOutcome {
  const snapshot = { ...emptySnapshot(), ...seen.slots, collectors: seen.reports, collected_unix: nowUnix };
  const late = troubles(snapshot);
  const asked = Object.values(seen.reports).filter((report) => report.status !== 'skipped');
  if (asked.length > 0 && late.length === asked.length) {
    return { kind: 'unavailable', reason: `no collector answered (${late.slice(0, 3).join('; ')})` };
  }
  const reasons = config.disable_local_probe ? [PROBE_DISABLED_REASON] : [];
  if (late.length > 0) reasons.push(late.join('; '));
  return {
    kind: 'snapshot',
    snapshot: { ...snapshot, degraded_reason: reasons.length === 0 ? null : reasons.join('; ') },
  };
}

/** What is left when the probe gave nothing: every slot unknown, and the reports of the collectors. */
export function unseenSnapshot(
  collectors: readonly Collector[],
  seen: ProbeResult | undefined,
  nowUnix: number,
): Snapshot {
  const slots = mergeSlots(collectors.map(({ whenUnknown }) => whenUnknown));
  return { ...emptySnapshot(), ...slots, collectors: seen?.reports ?? {}, collected_unix: nowUnix };
}

/** One phrase per collector that failed or was late, by name in the order of the vocabulary. */
export function troubles(snapshot: Snapshot): string[] {
  const reports = collectorReports(snapshot);
  return COLLECTOR_NAMES.flatMap((name) => {
    const report = reports[name];
    if (report === undefined || (report.status !== 'timeout' && report.status !== 'error')) return [];
    const what = [report.reason, report.detail].filter((part) => part !== '').join(': ');
    return [`${name}: ${report.status}${what === '' ? '' : ` (${what})`}`];
  });
}
