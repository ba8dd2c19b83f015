import type { PolicySignals, Support } from './strict.js';

/** Capabilities that can supply what is missing. */
export interface Means {
  readonly traces: boolean;
  readonly logs: boolean;
  readonly source: boolean;
  readonly sandbox: boolean;
}

/** What would lift the claim into the next band, in terms of what is there (spec 07 B11.1); empty at HIGH. */
export function missingEvidence({ band, signals, caps }: Support, means: Means): string {
  if (band === 'high') return '';
  if (caps.length > 0) return `held at ${band}: ${caps.join('; ')}`;
  return band === 'low' ? forMedium(signals, means) : forHigh(signals, means);
}

function forMedium({ K }: PolicySignals, means: Means): string {
  const kind = K ? [] : ['name an error type that the evidence shows'];
  const ways = [
    ...(means.traces && means.logs ? ['a trace and a log of the same thing within 15 minutes'] : []),
    ...(means.source ? ['the source line that the evidence points to, read'] : []),
    ...(means.sandbox ? ['a reproduction in the sandbox'] : []),
  ];
  const way = ways.length === 0 ? ['a further source of evidence to be configured'] : [ways.join(', or ')];
  return `missing for medium: ${[...kind, ...way].join(', and ')}`;
}

function forHigh({ C, S, R, D, traceAndLog }: PolicySignals, means: Means): string {
  const corroborated = C || R;
  const needs = [
    ...(S
      ? []
      : [means.source ? 'the source line that the evidence points to, read' : 'access to the source']),
    ...(corroborated ? [] : ['a second, independent observation of the same thing within 15 minutes']),
  ];
  const resource = D && !traceAndLog ? ', or trace and log that agree beside the resource reading' : '';
  return `missing for high: ${needs.join(', and ')}${resource}`;
}
