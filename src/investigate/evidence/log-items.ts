import type { EvidenceItem, FetchedLine } from '../model/evidence.js';
import { isTelemetryNoise, matchEvidence } from './fingerprints.js';

/** A level word that stands alone, as loggers write it (spec 07 B5). */
const LEVEL = /(?<![\p{L}\p{N}])(?:ERROR|FATAL|CRITICAL|PANIC)(?![\p{L}\p{N}])/u;

/** The signal items of fetched log lines: those that fingerprint or carry a level word, and are no telemetry noise. */
export function logItems(lines: readonly FetchedLine[], entities: readonly string[]): EvidenceItem[] {
  return lines.flatMap((line) => {
    if (isTelemetryNoise(line.text)) return [];
    const hit = matchEvidence(line.text);
    if (hit === null && !LEVEL.test(line.text)) return [];
    return {
      key: `log:${line.source}:${line.line ?? ''}:${line.tsUnix ?? ''}:${line.text}`,
      cls: 'log' as const,
      tsUnix: line.tsUnix,
      entities,
      fingerprint: hit?.fingerprint.id ?? null,
      kind: null,
      text: hit?.line ?? line.text,
      frames: [],
      fileHint: null,
      source: line.source,
      line: line.line,
    };
  });
}
