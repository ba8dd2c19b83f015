import { type Severity, severityRank } from '../../src/signals/symptom.js';
import type { LabAlert, LabRun, LabTick } from './result.js';
import type { Fault } from './scenario.js';

/** How long after its end a fault may still be reported, s: reminders, resolved states, late log lines. */
const AFTERMATH_S = 90 * 60;
const HOUR_S = 3600;
/** Ticks within which a higher severity has to be said. */
const ESCALATION_TICKS = 1;

/** An alert with where it stands in its run. */
export interface PlacedAlert extends LabAlert {
  readonly tick: number;
  readonly at: number;
  /** It says what the clock says, which is true. */
  readonly tellsTheTime: boolean;
}

export interface FaultScore {
  readonly fault: Fault;
  /** A tick fell into the fault after it had become visible. */
  readonly couldBeSeen: boolean;
  readonly found: PlacedAlert | null;
  /** From the first tick at which it was visible; null when it was not found. */
  readonly delayTicks: number | null;
  readonly delayMinutes: number | null;
  /** Medium and high alerts that belong to it in the hour after it became visible, reminders included. */
  readonly alertsInFirstHour: number;
  /** Those of them that say something new: another symptom or subject, a higher severity, a confirmed intent. */
  readonly newsInFirstHour: number;
  readonly confirmedDestructive: boolean;
}

export interface RunScore {
  readonly run: LabRun;
  readonly faults: readonly FaultScore[];
  /** Medium and high alerts that belong to no fault and no notice. */
  readonly wrong: readonly PlacedAlert[];
  /** Destructive intents that no fault justifies. */
  readonly wrongDestructive: readonly PlacedAlert[];
  /** Medium and high alerts that are right or acceptable. */
  readonly right: readonly PlacedAlert[];
  /** Remarks of low severity. */
  readonly remarks: number;
  /** Keys whose severity rose without being said in time. */
  readonly escalationsLost: readonly string[];
}

/** Whether an alert is what a match names. */
export function matches(alert: Pick<LabAlert, 'name' | 'subject'>, match: string): boolean {
  const at = match.indexOf(':');
  if (at === -1) return alert.name === match;
  const value = match.slice(at + 1);
  return alert.name === match.slice(0, at) && Object.values(alert.subject).includes(value);
}

export function scoreRun(run: LabRun): RunScore {
  const alerts = run.ticks.flatMap(({ alerts: sent, tick, at, truths }) =>
    sent.map((alert): PlacedAlert => ({ ...alert, tick, at, tellsTheTime: truths.includes(alert.name) })),
  );
  const loud = alerts.filter(({ severity }) => severity !== 'low');
  const isExcused = (alert: PlacedAlert) =>
    alert.tellsTheTime ||
    run.notices.some((notice) => matches(alert, notice)) ||
    run.faults.some((fault) => belongs(alert, fault, run));
  return {
    run,
    faults: run.faults.map((fault) => scoreFault(fault, run, alerts)),
    wrong: loud.filter((alert) => !isExcused(alert)),
    right: loud.filter(isExcused),
    wrongDestructive: alerts.filter((alert) =>
      alert.destructive.some((name) => !run.faults.some((fault) => allows(fault, name, alert, run))),
    ),
    remarks: alerts.length - loud.length,
    escalationsLost: lostEscalations(run.ticks),
  };
}

function scoreFault(fault: Fault, run: LabRun, alerts: readonly PlacedAlert[]): FaultScore {
  const visibleAt = run.startUnix + (fault.from + fault.visibleAfter) * 60;
  const endsAt = run.startUnix + fault.until * 60;
  const firstTick = run.ticks.findIndex(({ at }) => at >= visibleAt);
  const couldBeSeen = firstTick !== -1 && (run.ticks[firstTick]?.at ?? 0) <= endsAt;
  const begins = run.startUnix + fault.from * 60;
  const found =
    alerts.find(
      (alert) =>
        alert.at >= begins &&
        alert.at <= endsAt + AFTERMATH_S &&
        severityRank(alert.severity) >= severityRank(fault.severity) &&
        fault.right.some((match) => matches(alert, match)),
    ) ?? null;
  const foundTick = found === null ? -1 : run.ticks.findIndex(({ at }) => at === found.at);
  const ofFault = alerts.filter((alert) => alert.severity !== 'low' && belongs(alert, fault, run));
  const since = Math.min(visibleAt, found?.at ?? visibleAt);
  const early = ofFault.filter(({ at }) => at >= since && at < since + HOUR_S);
  return {
    fault,
    couldBeSeen,
    found,
    delayTicks: found === null ? null : Math.max(0, foundTick - firstTick),
    delayMinutes: found === null ? null : Math.max(0, (found.at - visibleAt) / 60),
    alertsInFirstHour: early.length,
    newsInFirstHour: newsAmong(early),
    confirmedDestructive: ofFault.some(({ destructive }) => destructive.length > 0),
  };
}

/** Alerts that are no mere reminders of what was said before. */
function newsAmong(alerts: readonly PlacedAlert[]): number {
  const said = new Map<string, number>();
  let news = 0;
  for (const alert of alerts) {
    const key = keyOf(alert);
    const level = severityRank(alert.severity) * 2 + (alert.destructive.length > 0 ? 1 : 0);
    if (level > (said.get(key) ?? -1)) news += 1;
    said.set(key, Math.max(level, said.get(key) ?? -1));
  }
  return news;
}

function isDuring(alert: PlacedAlert, fault: Fault, run: LabRun): boolean {
  const begins = run.startUnix + fault.from * 60;
  const ends = run.startUnix + fault.until * 60 + AFTERMATH_S;
  return alert.at >= begins && alert.at <= ends;
}

function belongs(alert: PlacedAlert, fault: Fault, run: LabRun): boolean {
  return (
    isDuring(alert, fault, run) && [...fault.right, ...fault.company].some((match) => matches(alert, match))
  );
}

function allows(fault: Fault, name: string, alert: PlacedAlert, run: LabRun): boolean {
  return isDuring(alert, fault, run) && fault.destructive.includes(name);
}

/** Keys that became more severe than anything said of them, and were neither said nor explained within the next ticks. */
function lostEscalations(ticks: readonly LabTick[]): string[] {
  const said = new Map<string, Severity>();
  const waiting = new Map<string, number>();
  const lost: string[] = [];
  for (const { alerts, present, explained } of ticks) {
    const sentNow = new Map(alerts.map((alert) => [keyOf(alert), alert.severity]));
    const hereNow = new Map(present.map(({ key, severity }) => [key, severity]));
    for (const [key, severity] of hereNow) {
      const before = said.get(key);
      const rises = before !== undefined && severityRank(severity) > severityRank(before);
      const isSaid = [...sentNow.keys()].some((sent) => key.startsWith(sent));
      if (!rises || isSaid || explained.includes(key)) waiting.delete(key);
      else waiting.set(key, (waiting.get(key) ?? 0) + 1);
      if ((waiting.get(key) ?? 0) > ESCALATION_TICKS) {
        lost.push(key);
        waiting.delete(key);
        said.set(key, severity);
      }
      if (isSaid) said.set(key, severity);
    }
    for (const key of said.keys()) if (!hereNow.has(key)) said.delete(key);
  }
  return lost;
}

function keyOf({ name, subject }: LabAlert): string {
  const pairs = Object.entries(subject)
    .map(([key, value]) => `${key}=${value}`)
    .sort();
  return [name, ...pairs].join('\u001f');
}
