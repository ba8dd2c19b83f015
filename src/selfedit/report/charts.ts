import { confirmationPower } from '../gate/power.js';
import type { EditReport } from '../loop/report.js';
import { escapeHtml, px, svgLine, svgText } from './svg.js';

const BAR = 400;
const BAR_HEIGHT = 24;

/** δ of every confirmed edit with its 95 % bootstrap interval, around 0; all texts are plain ones beside the bars. */
export function forestPlot(edits: readonly EditReport[]): string {
  const rows = edits.flatMap((edit) => (edit.confirm === null ? [] : [{ edit, confirm: edit.confirm }]));
  if (rows.length === 0) return '<p>No edit was confirmed.</p>';
  const ends = rows.flatMap(({ confirm: { low, high, mean_delta } }) => [
    low ?? mean_delta,
    high ?? mean_delta,
  ]);
  const reach = Math.max(0.05, ...ends.map(Math.abs)) * 1.1;
  const x = (value: number): number => ((value + reach) / (2 * reach)) * BAR;
  const middle = BAR_HEIGHT / 2;
  const bars = rows.map(({ edit, confirm: { low, high, mean_delta, wins, losses, n } }) => {
    const points = `${(mean_delta * 100).toFixed(1)} points`;
    const range =
      low === null || high === null ? '' : `, ${(low * 100).toFixed(1)} to ${(high * 100).toFixed(1)}`;
    const whisker = low === null || high === null ? '' : svgLine(x(low), middle, x(high), middle, 'whisker');
    const point = `point${edit.verdict === 'promote' ? ' won' : ''}`;
    return [
      `<span class="label">${escapeHtml(edit.label ?? edit.edit_id)}</span>`,
      `<span class="what">${escapeHtml(`${wins}/${losses} of ${n}, ${edit.verdict}`)}</span>`,
      `<svg viewBox="0 0 ${BAR} ${BAR_HEIGHT}" preserveAspectRatio="none" role="img"><title>${escapeHtml(points + range)}</title>`,
      svgLine(x(0), 0, x(0), BAR_HEIGHT, 'zero'),
      whisker,
      svgLine(x(mean_delta), 3, x(mean_delta), BAR_HEIGHT - 3, point),
      '</svg>',
    ].join('');
  });
  const ticks = [-reach, 0, reach].map((value) => `<span>${(value * 100).toFixed(1)}</span>`).join('');
  const caption = 'Gain in points with its 95 % bootstrap interval; reported, never decides.';
  return `<figure><div class="forest">${bars.join('')}<div class="axis">${ticks}</div></div><figcaption>${caption}</figcaption></figure>`;
}

const WIDTH = 480;
const HEIGHT = 280;
const WIDEST = 0.25;

/** Power of the final test against the share of cases that an edit fixes, for edits that break nothing and a fifth as many. */
export function powerCurve(planned: number, alpha: number, earlyShare: number): string {
  const x = (gain: number): number => 48 + (gain / WIDEST) * (WIDTH - 62);
  const y = (power: number): number => HEIGHT - 48 - power * (HEIGHT - 66);
  const curve = (broken: number, name: string): string => {
    const points = Array.from({ length: 51 }, (_, i) => {
      const fixed = (i / 50) * WIDEST;
      const power = confirmationPower({ fixed, broken: fixed * broken }, planned, alpha, earlyShare);
      return `${i === 0 ? 'M' : 'L'}${px(x(fixed))} ${px(y(power))}`;
    });
    return `<path d="${points.join('')}" class="curve ${name}"/>`;
  };
  const grid = [0, 0.25, 0.5, 0.75, 1].flatMap((power) => [
    svgLine(48, y(power), WIDTH - 14, y(power), 'grid'),
    svgText(42, y(power) + 4, `${power * 100}%`, 'end'),
  ]);
  const ticks = [0, 0.05, 0.1, 0.15, 0.2, 0.25].map((gain) =>
    svgText(x(gain), HEIGHT - 28, `${Math.round(gain * 100)}`, 'middle'),
  );
  const title = `Chance to pass with ${planned} cases at level ${alpha}`;
  return [
    `<figure><svg class="power" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img"><title>${escapeHtml(title)}</title>`,
    ...grid,
    ...ticks,
    svgText(WIDTH / 2, HEIGHT - 6, 'cases fixed, in 100', 'middle'),
    curve(0, 'a'),
    curve(0.2, 'b'),
    `</svg><figcaption>${escapeHtml(title)}. Full line: the edit breaks nothing; broken line: a fifth as many as it fixes.</figcaption></figure>`,
  ].join('');
}
