import { fixture } from '../support.js';

export interface Span {
  readonly spanID: string;
  readonly processID: string;
  readonly startTime: number;
  readonly tags: { key: string; value: unknown }[];
}
export interface Trace {
  readonly traceID: string;
  readonly spans: Span[];
  readonly processes: Record<string, { serviceName: string }>;
}
export interface Case {
  readonly case: string;
  readonly now_unix_ns: string;
  readonly corpus: {
    readonly loki: {
      label: string;
      streams: { stream: Record<string, string>; values: [string, string][] }[];
    };
    readonly jaeger: { services: string[]; traces: Trace[] };
  };
  readonly calls: {
    readonly tool: string;
    readonly args: Record<string, unknown>;
    readonly outcome: string;
    readonly reference_receipt: {
      family: 'jaeger' | 'loki' | 'github' | 'other';
      success: boolean;
      service: string | null;
      file_path: string | null;
      error_signal: string | null;
    };
  }[];
}

export const CASES = [
  'adFailure',
  'adHighCpu',
  'cartFailure',
  'paymentFailure',
  'intlShippingSlowdown',
] as const;

export function loadCase(name: string): Case {
  return fixture<Case>(`cases/${name}.json`);
}

interface Expected {
  readonly cases: Record<string, ExpectedCase>;
}
interface Answer {
  readonly subject: string | null;
  readonly error_type: string;
  readonly confidence: number;
  readonly confidence_level: string;
  readonly allowed_band: string;
  readonly file_path: string | null;
  readonly line_number: number | null;
}
export interface ExpectedCase {
  readonly issue: {
    description: string;
    service_name: string;
    trace_id: string | null;
    time_window_minutes: number;
  };
  readonly expected: { service: string; acceptable_error_types: string[]; file_substring: string };
  readonly deterministic: { with_source: Answer; without_source: Answer };
  readonly max_band_deterministic: 'low' | 'medium' | 'high';
  readonly max_band_any_mode: 'low' | 'medium' | 'high';
  readonly stand_in: { files: { path: string; line_count: number; cited_line: number | string }[] } | null;
  readonly reference_ledger: Record<string, Record<string, unknown>>;
}

export function expectedOf(name: string): ExpectedCase {
  const found = fixture<Expected>('expected.json').cases[name];
  if (found === undefined) throw new Error(`no case ${name}`);
  return found;
}

/** Files of our own in place of the repository's: filler that shares nothing with a log, and one line that matters. */
export function standIns(): Map<string, string> {
  const { files } = fixture<{ files: Record<string, { path: string; line_count: number }> }>('sources.json');
  const cited = new Map<string, { line: number; text: string }>([
    [
      'src/ad/src/main/java/oteldemo/AdService.java',
      { line: 200, text: 'warn("GetAds Failed with status", s);' },
    ],
    ['src/cart/src/cartstore/ValkeyCartStore.cs', { line: 194, text: 'throw made(up);' }],
  ]);
  return new Map(
    Object.values(files).map(({ path, line_count: count }) => {
      const lines = Array.from({ length: count }, (_, index) => `x${index} = ${index};`);
      const own = cited.get(path);
      if (own !== undefined) lines[own.line - 1] = own.text;
      return [path, `${lines.join('\n')}\n`];
    }),
  );
}
