import { listOr, objectsOf, text } from '../../foreign/json.js';
import { wholeWords } from '../../foreign/word.js';
import { normalizeService } from '../evidence/entities.js';
import { countingItems, type EvidenceItem } from '../model/evidence.js';
import type { Question } from '../question.js';
import { type Collector, spread } from './collect.js';
import { compareTimes } from './hypothesis.js';

const WIDER_MINUTES = [30, 60] as const;
const MAX_SERVICES = 3;
const MAX_TRACES = 5;

/** Asks trace and log services (spec 07 B9.2, service mode); gives notes for the result. */
export async function collectFromServices(
  collector: Collector,
  question: Question,
  endUnix: number | null,
): Promise<string[]> {
  const hasTraces = collector.has('query_traces');
  const hasLogs = collector.has('query_logs');
  if (!hasTraces && !hasLogs) return [];
  const notes: string[] = [];
  const traced = await namesIn(collector, 'list_trace_services');
  const logged = await namesIn(collector, 'list_log_services');
  const services = wantedServices(question, [...traced, ...logged]);
  if (services.length === 0) return ['no service is named, so no trace or log was asked for'];
  const plan = {
    collector,
    windows: windowsOf(question),
    end: endUnix === null ? {} : { end_unix: endUnix },
  };
  if (question.traceId !== null && hasTraces) {
    await collector.ask('extract_error_spans', { trace_ids: [question.traceId] });
  }
  const affected: string[] = [];
  for (const service of services) {
    const own = equalNames(traced, service);
    if (hasTraces && own.length === 0) notes.push(`no trace service is called ${service}`);
    for (const name of own) affected.push(...(await askTraces(plan, name)));
  }
  const all = [...new Map([...services, ...affected].map((name) => [normalizeService(name), name])).values()];
  for (const service of all.slice(0, MAX_SERVICES)) {
    const own = equalNames(logged, service);
    if (hasLogs && own.length === 0) notes.push(`no log service is called ${service}`);
    for (const name of own) await askLogs(plan, name);
  }
  return notes;
}

interface Plan {
  readonly collector: Collector;
  readonly windows: readonly number[];
  readonly end: { readonly end_unix?: number };
}

async function namesIn(collector: Collector, tool: string): Promise<string[]> {
  const answer = await collector.ask(tool, {});
  return listOr(answer?.data['services']).filter((name) => typeof name === 'string');
}

/** The service asked about, else those that the text names as whole words. */
function wantedServices({ serviceName, text: words }: Question, known: readonly string[]): string[] {
  if (serviceName !== null) return [serviceName];
  const named = [...new Set(known)].filter((name) => wholeWords(name).test(words));
  return [...new Map(named.map((name) => [normalizeService(name), name])).values()].slice(0, MAX_SERVICES);
}

function equalNames(known: readonly string[], service: string): string[] {
  return known.filter((name) => normalizeService(name) === normalizeService(service));
}

function windowsOf({ windowMinutes }: Question): number[] {
  return [windowMinutes, ...WIDER_MINUTES.filter((minutes) => minutes > windowMinutes)];
}

/** Failing traces of a service; gives the services where their failures began. */
async function askTraces({ collector, windows, end }: Plan, service: string): Promise<string[]> {
  const failing = new Map<string, number>();
  const note = (traces: unknown): void => {
    for (const trace of objectsOf(traces)) {
      const id = text(trace['trace_id']);
      const isFailing = listOr(trace['error_spans']).length > 0;
      if (id !== undefined && isFailing) failing.set(id, Number(trace['start_time'] ?? 0));
    }
  };
  let isEmpty = true;
  for (const minutes of windows) {
    const answer = await collector.ask('query_traces', {
      service,
      time_window_minutes: minutes,
      limit: 20,
      ...end,
    });
    note(answer?.data['traces']);
    isEmpty = answer?.receipt.status === 'empty';
    if (!isEmpty) break;
  }
  if (!isEmpty) {
    const widest = windows.at(-1) ?? 60;
    const only = { service, time_window_minutes: widest, limit: 20, only_errors: true, ...end };
    note((await collector.ask('query_traces', only))?.data['traces']);
  }
  const newest = [...failing].sort(([, a], [, b]) => b - a).map(([id]) => id);
  if (newest.length === 0) return [];
  const answer = await collector.ask('extract_error_spans', { trace_ids: newest.slice(0, MAX_TRACES) });
  return listOr(answer?.data['origin_services']).filter((name) => typeof name === 'string');
}

async function askLogs({ collector, windows, end }: Plan, service: string): Promise<void> {
  let isEmpty = true;
  for (const minutes of windows) {
    const answer = await collector.ask('query_logs', {
      service,
      time_window_minutes: minutes,
      limit: 100,
      ...end,
    });
    isEmpty = answer?.receipt.status === 'empty';
    if (!isEmpty) break;
  }
  if (isEmpty) return;
  const widest = windows.at(-1) ?? 60;
  await collector.ask('query_logs', {
    service,
    time_window_minutes: widest,
    limit: 200,
    query: '@errors',
    ...end,
  });
  for (const item of spread(newestOf(collector, service))) {
    if (item.tsUnix === null) continue;
    const timestamp = item.tsUnix.toFixed(6);
    await collector.ask('get_log_context', { service, timestamp, lines: 20, context_s: 5 });
  }
}

/** Distinct fingerprinted lines of a service, newest first. */
function newestOf(collector: Collector, service: string): EvidenceItem[] {
  return countingItems(collector.evidence)
    .filter(({ cls, fingerprint, source }) => cls === 'log' && fingerprint !== null && source === service)
    .sort((a, b) => compareTimes(b.tsUnix, a.tsUnix));
}
