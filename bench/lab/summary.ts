import type { Scenario } from './scenario.js';
import type { FaultScore, RunScore } from './score.js';

/** The figures of one scenario over its repetitions, or of all of a kind. */
export interface Figures {
  readonly runs: number;
  readonly hours: number;
  readonly ticks: number;
  readonly faults: number;
  readonly found: number;
  /** Ticks and minutes from visible to found; null without any. */
  readonly medianDelayTicks: number | null;
  readonly medianDelayMinutes: number | null;
  readonly worstDelayTicks: number | null;
  /** Alerts in the first hour of an incident: all, and those that say something new. */
  readonly alertsPerIncident: number | null;
  readonly newsPerIncident: number | null;
  readonly newsPerRecoveredIncident: number | null;
  readonly falseHigh: number;
  readonly falseMedium: number;
  readonly falseDestructive: number;
  readonly rightHigh: number;
  readonly rightMedium: number;
  readonly timeNotices: number;
  readonly remarks: number;
  readonly escalationsLost: number;
}

export interface ScenarioSummary extends Figures {
  readonly scenario: string;
  readonly kind: Scenario['kind'];
  readonly story: string;
  readonly isUnseen: boolean;
  /** `severity symptom` → how often it was said wrongly. */
  readonly wrong: Readonly<Record<string, number>>;
}

export function figuresOf(scores: readonly RunScore[]): Figures {
  const faults = scores
    .flatMap((score) => score.faults)
    .filter(({ couldBeSeen, found }) => couldBeSeen || found);
  const found = faults.filter((fault) => fault.found !== null);
  const delays = found.flatMap(({ delayTicks }) => delayTicks ?? []);
  const wrong = scores.flatMap((score) => score.wrong);
  const right = scores.flatMap((score) => score.right);
  const count = (alerts: readonly { severity: string }[], severity: string) =>
    alerts.filter((alert) => alert.severity === severity).length;
  const plain = found.filter(({ confirmedDestructive }) => !confirmedDestructive);
  const recovered = found.filter(({ confirmedDestructive }) => confirmedDestructive);
  return {
    runs: scores.length,
    hours: sum(scores.map(({ run }) => (run.endUnix - run.startUnix) / 3600)),
    ticks: sum(scores.map(({ run }) => run.ticks.length)),
    faults: faults.length,
    found: found.length,
    medianDelayTicks: median(delays),
    medianDelayMinutes: median(found.flatMap(({ delayMinutes }) => delayMinutes ?? [])),
    worstDelayTicks: delays.length === 0 ? null : Math.max(...delays),
    alertsPerIncident: mean(found, ({ alertsInFirstHour }) => alertsInFirstHour),
    newsPerIncident: mean(plain, ({ newsInFirstHour }) => newsInFirstHour),
    newsPerRecoveredIncident: mean(recovered, ({ newsInFirstHour }) => newsInFirstHour),
    falseHigh: count(wrong, 'high'),
    falseMedium: count(wrong, 'medium'),
    falseDestructive: sum(scores.map(({ wrongDestructive }) => wrongDestructive.length)),
    rightHigh: count(right, 'high'),
    rightMedium: count(right, 'medium'),
    timeNotices: right.filter(({ tellsTheTime }) => tellsTheTime).length,
    remarks: sum(scores.map(({ remarks }) => remarks)),
    escalationsLost: sum(scores.map(({ escalationsLost }) => escalationsLost.length)),
  };
}

export function summaryOf(scenario: Scenario, scores: readonly RunScore[]): ScenarioSummary {
  const wrong: Record<string, number> = {};
  for (const { severity, name } of scores.flatMap((score) => score.wrong)) {
    const key = `${severity} ${name}`;
    wrong[key] = (wrong[key] ?? 0) + 1;
  }
  const { name, kind, story, isUnseen = false } = scenario;
  return { scenario: name, kind, story, isUnseen, ...figuresOf(scores), wrong };
}

/** Share of the faults that could be seen and were; null without any. */
export function recallOf({ found, faults }: Pick<Figures, 'found' | 'faults'>): number | null {
  return faults === 0 ? null : found / faults;
}

/** Alerts of a severity that were right; null when there were none at all. */
export function precisionOf(right: number, wrong: number): number | null {
  return right + wrong === 0 ? null : right / (right + wrong);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function mean(faults: readonly FaultScore[], value: (fault: FaultScore) => number): number | null {
  return faults.length === 0 ? null : sum(faults.map(value)) / faults.length;
}

function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) return null;
  return sorted.length % 2 === 1 ? middle : (middle + (sorted[sorted.length / 2 - 1] ?? middle)) / 2;
}
