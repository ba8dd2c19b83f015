import type { FaultScore, PlacedAlert, RunScore } from '../score.js';
import type { ScenarioSummary } from '../summary.js';
import { escaped } from './escape.js';
import { minutesText } from './time.js';
import { timeline } from './timeline.js';

/** One scenario with the run that is drawn. */
export interface DrawnScenario {
  readonly summary: ScenarioSummary;
  readonly score: RunScore;
}

/** How a scenario went, in words, and whether that is bad. */
export function verdictOf({ kind, found, faults, falseHigh, falseMedium }: ScenarioSummary) {
  const wrong = falseHigh + falseMedium;
  const said = wrong === 0 ? '' : `${wrong} wrong`;
  if (kind === 'healthy') return { text: said === '' ? 'nothing said' : said, isBad: wrong > 0 };
  const missed = faults - found;
  const reached = missed === 0 ? `${found} of ${faults} found` : `MISSED ${missed} of ${faults}`;
  return { text: said === '' ? reached : `${reached}, ${said}`, isBad: missed > 0 || wrong > 0 };
}

/** What happened and what was said, as a picture and as text. */
export function section({ summary, score }: DrawnScenario): string {
  const { scenario, story } = summary;
  const { text, isBad } = verdictOf(summary);
  return `<section id="${scenario}"><h3>${escaped(scenario)}</h3>
<p><span class="${isBad ? 'bad' : ''}">${text}</span>${summary.runs > 1 ? ` in ${summary.runs} sessions, of which this is one` : ''}. ${escaped(story)}</p>
${timeline(score)}${truth(score)}${alertList(score)}
<p><a href="#kinds">all kinds</a></p></section>`;
}

function truth({ faults }: RunScore): string {
  if (faults.length === 0) return '';
  return `<ul class="facts">${faults.map((fault) => `<li>${faultText(fault)}</li>`).join('')}</ul>`;
}

function faultText({ fault, found, couldBeSeen, delayMinutes }: FaultScore): string {
  const until = Number.isFinite(fault.until) ? `, until ${minutesText(fault.until)}` : '';
  const visible = fault.visibleAfter === 0 ? 'at once' : `after ${minutesText(fault.visibleAfter)}`;
  const when = `from ${minutesText(fault.from)}${until}, to be seen ${visible}`;
  const asked = `asked for: ${fault.severity} ${fault.right.join(' or ')}`;
  const outcome =
    found !== null
      ? `found by ${found.name}, ${minutesText(delayMinutes ?? 0)} after it could be seen`
      : couldBeSeen
        ? '<span class="bad">missed</span>'
        : 'no look fell into it';
  return `Fault: ${escaped(fault.cause)} (${when}; ${escaped(asked)}); ${outcome}`;
}

function alertList({ run, right, wrong }: RunScore): string {
  const all = [...right, ...wrong].toSorted((a, b) => a.at - b.at);
  if (all.length === 0) return '<p>No alert above low.</p>';
  const wrongOnes = new Set(wrong);
  const rows = all.map((alert) => alertRow(alert, run.startUnix, wrongOnes.has(alert)));
  return `<details><summary>${all.length === 1 ? 'the alert' : `${all.length} alerts`} as text</summary><table><tr><th>at</th><th>severity</th><th>is</th><th>what</th></tr>${rows.join('')}</table></details>`;
}

function alertRow(alert: PlacedAlert, startUnix: number, isWrong: boolean): string {
  const { at, severity, name, summary, destructive } = alert;
  const intents = destructive.length === 0 ? '' : ` <b>asks for ${escaped(destructive.join(', '))}</b>`;
  return `<tr><td>${minutesText((at - startUnix) / 60)}</td><td class="${severity}">${severity}</td><td>${isWrong ? '<span class="bad">wrong</span>' : 'right'}</td><td class="what"><b>${escaped(name)}</b>: ${escaped(summary)}${intents}</td></tr>`;
}
