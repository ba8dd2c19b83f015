import type { PlacedAlert, RunScore } from '../score.js';
import { escaped } from './escape.js';
import { mark } from './marks.js';

const TICK_UNITS = 1000;
/** More hours than this do not fit beside each other on a phone. */
const MOST_HOURS = 8;

/** Share of the run at a moment, as CSS has it. */
type Place = (unix: number) => string;

/** The truth of a run as bands, its alerts below as marks, its ticks as strokes; laid out by the window's width. */
export function timeline({ run, wrong, right, faults }: RunScore): string {
  const span = Math.max(1, run.endUnix - run.startUnix);
  const place: Place = (unix) => `${(((unix - run.startUnix) / span) * 100).toFixed(2)}%`;
  const bands = faults.map(({ fault }) => {
    const from = run.startUnix + fault.from * 60;
    const until = Math.min(run.endUnix, run.startUnix + fault.until * 60);
    const visible = Math.min(until, from + fault.visibleAfter * 60);
    return row(fault.cause, `${band('band', from, until, place)}${band('seen', visible, until, place)}`);
  });
  const alerts = [...right, ...wrong];
  const wrongOnes = new Set(wrong);
  const rows = [...new Set(alerts.map(({ name }) => name))].map((name) => {
    const its = alerts.filter((alert) => alert.name === name);
    return row(name, its.map((alert) => placed(alert, wrongOnes.has(alert), place)).join(''), 'line');
  });
  const looks = run.ticks.map(({ at }) => {
    const x = ((at - run.startUnix) / span) * TICK_UNITS;
    return `M${x.toFixed(1)} 0v7`;
  });
  const label = `${run.scenario}: ${faults.length} faults, ${right.length} alerts that are right, ${wrong.length} that are wrong`;
  const axis = `<svg class="looks" viewBox="0 0 ${TICK_UNITS} 7" preserveAspectRatio="none"><path class="stroke" vector-effect="non-scaling-stroke" d="${looks.join('')}"/></svg>${hours(span, place, run.startUnix)}`;
  return `<div class="plot" role="img" aria-label="${escaped(label)}">${bands.join('')}${rows.join('')}${row('', axis, 'axis')}</div>`;
}

function row(name: string, content: string, kind = ''): string {
  return `<div class="row"><span class="name">${escaped(name)}</span><div class="track ${kind}">${content}</div></div>`;
}

function band(kind: string, from: number, until: number, place: Place): string {
  return `<i class="${kind}" style="left:${place(from)};right:calc(100% - ${place(until)})"></i>`;
}

function placed(alert: PlacedAlert, isWrong: boolean, place: Place): string {
  const frame = { isWrong, isDestructive: alert.destructive.length > 0 };
  const title = escaped(`tick ${alert.tick}: ${alert.severity} ${alert.summary}`);
  return `<svg class="mark" style="left:${place(alert.at)}" viewBox="0 0 20 20">${mark(alert.severity, frame, title)}</svg>`;
}

function hours(span: number, place: Place, start: number): string {
  const all = Math.floor(span / 3600);
  const step = Math.max(1, Math.ceil(all / MOST_HOURS));
  const shown = Array.from({ length: Math.floor(all / step) + 1 }, (_, index) => index * step);
  return shown
    .filter((hour) => hour * 3600 <= span * 0.96)
    .map((hour) => `<span class="hour" style="left:${place(start + hour * 3600)}">${hour} h</span>`)
    .join('');
}
