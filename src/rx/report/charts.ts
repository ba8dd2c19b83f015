import type { ReliabilityBin } from '../../stats/calibration.js';
import type { Iteration } from '../loop/run-result.js';
import type { Picture } from './document.js';
import { fixed } from './format.js';
import {
  bar,
  COLOURS,
  dot,
  drawing,
  FRAME,
  type Frame,
  legend,
  line,
  path,
  percentLabel,
  scale,
  text,
  ticks,
  xAxis,
  yAxis,
} from './svg.js';

const [BLUE, ORANGE, GREEN] = COLOURS;
const GREY = '#8a94a3';
/** Room above the drawing for a legend of three. */
const WITH_LEGEND: Frame = { ...FRAME, top: 64 };
/** Room beside it for a legend of many. */
const WITH_NAMES: Frame = { ...FRAME, right: 110 };

/** Failure rates of both arms per attempt, the changed one with the 95 % interval of its effect. */
export function failureRateChart(iterations: readonly Iteration[]): Picture {
  const rates = iterations.flatMap((one) => [one.control_rate, one.treatment_rate, ...intervalOf(one)]);
  const top = Math.max(0.05, ...rates) * 1.1;
  const y = scale(0, top, WITH_LEGEND.top + WITH_LEGEND.height, WITH_LEGEND.top);
  const slot = WITH_LEGEND.width / Math.max(1, iterations.length);
  const x = (i: number) => Math.round(WITH_LEGEND.left + slot * (i + 0.5));
  const marks = iterations.map((one, i) => {
    const colour = one.accepted ? GREEN : ORANGE;
    const [low, high] = intervalOf(one);
    const whisker =
      low === undefined || high === undefined ? '' : line(x(i) + 8, y(low), x(i) + 8, y(high), colour);
    return (
      dot(x(i) - 8, y(one.control_rate), 5, GREY) + whisker + dot(x(i) + 8, y(one.treatment_rate), 5, colour)
    );
  });
  return drawing('Failure rate per attempt, 95 % interval of the change', WITH_LEGEND, [
    yAxis(WITH_LEGEND, ticks(0, top), y, percentLabel),
    ...marks,
    legend(WITH_LEGEND, [
      ['unchanged', GREY],
      ['changed, accepted', GREEN],
      ['changed, not accepted', ORANGE],
    ]),
    xAxis(
      WITH_LEGEND,
      iterations.map((one, i) => ({ at: x(i), label: String(one.index) })),
      'attempt',
    ),
  ]);
}

/** Rates of the changed arm at both ends of the effect's interval; empty without one. */
function intervalOf(iteration: Iteration): number[] {
  const low = iteration.paired?.effect_low ?? null;
  const high = iteration.paired?.effect_high ?? null;
  if (low === null || high === null) return [];
  return [low, high].map((effect) => Math.max(0, iteration.control_rate - effect));
}

/** Evidence of each attempt after each pair, with the level at which it accepts early (spec 06 F.3). */
export function evidenceChart(iterations: readonly Iteration[]): Picture | null {
  const paired = iterations.flatMap((one) =>
    one.paired === null ? [] : [{ ...one.paired, index: one.index }],
  );
  if (paired.length === 0) return null;
  const levels = paired.map((one) => Math.log(2 / one.alpha_k));
  const values = paired.flatMap((one) => [...one.log_e_path, 0]);
  const high = Math.max(...values, ...levels) * 1.1;
  const low = Math.min(0, ...values);
  const pairs = Math.max(2, ...paired.map((one) => one.log_e_path.length));
  const y = scale(low, high, WITH_NAMES.top + WITH_NAMES.height, WITH_NAMES.top);
  const x = scale(0, pairs, WITH_NAMES.left, WITH_NAMES.left + WITH_NAMES.width);
  const paths = paired.map((one, i) => {
    const colour = COLOURS[i % COLOURS.length] ?? GREY;
    const points = [0, ...one.log_e_path].map((value, n) => [x(n), y(value)] as const);
    const threshold = y(Math.log(2 / one.alpha_k));
    return path(points, colour) + line(x(0), threshold, x(pairs), threshold, colour, true);
  });
  return drawing('Evidence (ln E) after each pair; dashed: accept early', WITH_NAMES, [
    yAxis(WITH_NAMES, ticks(low, high), y, (value) => fixed(value, 0)),
    ...paths,
    legend(
      { ...WITH_NAMES, width: WITH_NAMES.width + WITH_NAMES.right },
      paired.map((one, i) => [`attempt ${one.index}`, COLOURS[i % COLOURS.length] ?? GREY]),
    ),
    xAxis(
      WITH_NAMES,
      ticks(0, pairs).map((value) => ({ at: x(value), label: fixed(value, 0) })),
      'pairs',
    ),
  ]);
}

const SQUARE: Frame = { ...FRAME, width: 320, height: 320, top: 24, right: 40 };

/** Observed share of successes against the predicted one; a point's area is its number of rows. */
export function calibrationChart(bins: readonly ReliabilityBin[], title: string): Picture {
  const x = scale(0, 1, SQUARE.left, SQUARE.left + SQUARE.width);
  const y = scale(0, 1, SQUARE.top + SQUARE.height, SQUARE.top);
  const rows = bins.reduce((sum, bin) => sum + bin.n, 0);
  const points = bins.flatMap(({ n, mean_probability: p, positive_rate: rate }) =>
    p === null || rate === null ? [] : [dot(x(p), y(rate), 3 + 14 * Math.sqrt(n / Math.max(1, rows)), BLUE)],
  );
  const shares = [0, 0.25, 0.5, 0.75, 1];
  return drawing(title, SQUARE, [
    yAxis(SQUARE, shares, y, percentLabel),
    line(x(0), y(0), x(1), y(1), '#5b6675', true),
    ...points.map((point) => point.replace('<circle', '<circle fill-opacity="0.7"')),
    xAxis(
      SQUARE,
      shares.map((value) => ({ at: x(value), label: percentLabel(value) })),
      'predicted; observed upwards; dashed: perfect',
    ),
  ]);
}

/** A bar of a ranking. */
export interface RankedBar {
  readonly name: string;
  readonly value: number;
  /** Shown behind the bar. */
  readonly note: string;
  /** Interval around the value, for an estimate. */
  readonly low?: number;
  readonly high?: number;
}

const ROW = 28;
const MOST_BARS = 20;
const NAME_CHARS = 58;

/** Horizontal bars, best first; at most twenty. */
export function barChart(title: string, bars: readonly RankedBar[]): Picture {
  const shown = bars.slice(0, MOST_BARS);
  const frame: Frame = {
    ...FRAME,
    left: 400,
    width: 320,
    right: 140,
    height: ROW * shown.length,
    bottom: 10,
  };
  const ends = shown.flatMap((one) => [one.value, one.low ?? 0, one.high ?? 0]);
  const low = Math.min(0, ...ends);
  const x = scale(low, Math.max(...ends, low + 1e-9), frame.left, frame.left + frame.width);
  const rows = shown.map((one, i) => {
    const top = frame.top + i * ROW;
    const name = one.name.length > NAME_CHARS ? `${one.name.slice(0, NAME_CHARS - 1)}…` : one.name;
    const from = Math.min(x(0), x(one.value));
    const interval =
      one.low === undefined || one.high === undefined
        ? ''
        : line(x(one.low), top + 11, x(one.high), top + 11, '#1a2330');
    const end = Math.max(x(one.value), x(one.high ?? one.value));
    return (
      text(frame.left - 8, top + 15, name, 'end', '#1a2330') +
      bar(from, top + 3, Math.abs(x(one.value) - x(0)), ROW - 12, one.value < 0 ? ORANGE : BLUE) +
      interval +
      text(end + 6, top + 15, one.note, 'start')
    );
  });
  return drawing(title, frame, [...rows, line(x(0), frame.top, x(0), frame.top + frame.height, '#5b6675')]);
}
