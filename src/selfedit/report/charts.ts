import { confirmationPower } from '../gate/power.js';
import type { EditReport } from '../loop/report.js';
import { COLOURS, px, svgDot, svgDrawing, svgLine, svgText } from './svg.js';

const WIDTH = 720;
const ROW = 26;
const LEFT = 230;
const RIGHT = 150;

/** δ of every confirmed edit with its 95 % bootstrap interval, around 0. */
export function forestPlot(edits: readonly EditReport[]): string {
  const rows = edits.flatMap((edit) => (edit.confirm === null ? [] : [{ edit, confirm: edit.confirm }]));
  if (rows.length === 0) return '<p>No edit was confirmed.</p>';
  const ends = rows.flatMap(({ confirm }) => [
    confirm.low ?? confirm.mean_delta,
    confirm.high ?? confirm.mean_delta,
  ]);
  const reach = Math.max(0.05, ...ends.map(Math.abs)) * 1.1;
  const x = (value: number): number => LEFT + ((value + reach) / (2 * reach)) * (WIDTH - LEFT - RIGHT);
  const height = ROW * rows.length + 50;
  const marks = rows.flatMap(({ edit, confirm }, i) => {
    const y = 24 + ROW * i;
    const colour = edit.verdict === 'promote' ? COLOURS.green : COLOURS.orange;
    const whisker =
      confirm.low === null || confirm.high === null
        ? []
        : [svgLine(x(confirm.low), y, x(confirm.high), y, colour)];
    const note = `${confirm.wins}/${confirm.losses} of ${confirm.n}, ${edit.verdict}`;
    return [
      svgText(LEFT - 8, y + 4, (edit.label ?? edit.edit_id).slice(0, 34), 'end'),
      ...whisker,
      svgDot(x(confirm.mean_delta), y, colour),
      svgText(WIDTH - RIGHT + 8, y + 4, note.slice(0, 26)),
    ];
  });
  const ticks = [-reach, -reach / 2, 0, reach / 2, reach].map((value) =>
    svgText(x(value), height - 10, `${(value * 100).toFixed(1)}`, 'middle'),
  );
  return svgDrawing(
    'Gain per confirmed edit in points, 95 % bootstrap interval; reported, never decides',
    WIDTH,
    height,
    [svgLine(x(0), 8, x(0), height - 28, COLOURS.grey, true), ...marks, ...ticks],
  );
}

/** Power of the final test against the share of cases that an edit fixes, for edits that break nothing and a fifth as many. */
export function powerCurve(planned: number, alpha: number, earlyShare: number): string {
  const width = 640;
  const height = 300;
  const x = (gain: number): number => 56 + (gain / 0.25) * (width - 76);
  const y = (power: number): number => height - 44 - power * (height - 70);
  const curve = (broken: number, colour: string): string => {
    const points = Array.from({ length: 51 }, (_, i) => {
      const fixed = (i / 50) * 0.25;
      const power = confirmationPower({ fixed, broken: fixed * broken }, planned, alpha, earlyShare);
      return `${i === 0 ? 'M' : 'L'}${px(x(fixed))} ${px(y(power))}`;
    });
    return `<path d="${points.join('')}" fill="none" stroke="${colour}" stroke-width="2"/>`;
  };
  const grid = [0, 0.25, 0.5, 0.75, 1].flatMap((power) => [
    svgLine(56, y(power), width - 20, y(power), '#d6dce4'),
    svgText(50, y(power) + 4, `${power * 100}%`, 'end'),
  ]);
  const ticks = [0, 0.05, 0.1, 0.15, 0.2, 0.25].map((gain) =>
    svgText(x(gain), height - 26, `${Math.round(gain * 100)}`, 'middle'),
  );
  return svgDrawing(
    `Power with ${planned} cases at level ${alpha}, by points fixed: blue breaks nothing, orange a fifth as many`,
    width,
    height,
    [
      ...grid,
      ...ticks,
      svgText(width / 2, height - 8, 'cases fixed, in 100', 'middle'),
      curve(0, COLOURS.blue),
      curve(0.2, COLOURS.orange),
    ],
  );
}
