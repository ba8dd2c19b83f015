import type { PlacedAlert, RunScore } from './score.js';
import type { ScenarioSummary } from './summary.js';
import { LIMITS } from './table.js';

const WIDTH = 900;
const LEFT = 8;
const COLOURS = { high: '#b3261e', medium: '#c77700', low: '#8a8f98' } as const;

/** One scenario with the run that is drawn. */
export interface DrawnScenario {
  readonly summary: ScenarioSummary;
  readonly score: RunScore;
}

/** A page that needs nothing else: the report, and per scenario a picture of the truth against the alerts. */
export function renderPage(report: string, drawn: readonly DrawnScenario[]): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Detection lab</title><style>
body{font:14px/1.45 system-ui,sans-serif;margin:24px auto;max-width:960px;color:#1d2126;background:#fff}
pre{background:#f5f6f8;padding:12px;overflow:auto;font-size:12px}h2{margin:28px 0 2px;font-size:16px}p{margin:2px 0 6px;color:#4a515b}
svg{display:block;background:#fafbfc;border:1px solid #e3e6ea}.bad{color:#b3261e;font-weight:600}.legend span{margin-right:14px}
</style></head><body><h1>Detection lab</h1>
<p class="legend"><span>grey band: a fault; dark part: visible</span><span style="color:${COLOURS.high}">&#9679; HIGH</span><span style="color:${COLOURS.medium}">&#9679; MEDIUM</span><span style="color:${COLOURS.low}">&#9679; LOW</span><span>ring: wrong</span><span>square: with a destructive intent</span><span>small strokes: ticks</span></p>
<ul>${LIMITS.map((line) => `<li>${escaped(line)}</li>`).join('')}</ul>
<details><summary>The report as text</summary><pre>${escaped(report)}</pre></details>
${drawn.map(drawScenario).join('\n')}
</body></html>
`;
}

function drawScenario({ summary, score }: DrawnScenario): string {
  const { scenario, kind, story, found, faults, falseHigh, falseMedium } = summary;
  const verdict = kind === 'faulty' ? `${found}/${faults} found` : `${falseHigh + falseMedium} wrong alerts`;
  const isBad = kind === 'faulty' ? found < faults : falseHigh + falseMedium > 0;
  return `<h2 id="${scenario}">${escaped(scenario)} <small class="${isBad ? 'bad' : ''}">${verdict}</small></h2><p>${escaped(story)}</p>${timeline(score)}`;
}

function timeline({ run, wrong, right, faults }: RunScore): string {
  const span = Math.max(1, run.endUnix - run.startUnix);
  const x = (unix: number) => LEFT + ((unix - run.startUnix) / span) * (WIDTH - 2 * LEFT);
  const wrongOnes = new Set(wrong);
  const names = [...new Set([...right, ...wrong].map(({ name }) => name))];
  const top = 20 + faults.length * 16;
  const height = top + Math.max(1, names.length) * 16 + 22;
  const bands = faults.map(({ fault }, row) => {
    const from = run.startUnix + fault.from * 60;
    const until = Math.min(run.endUnix, run.startUnix + fault.until * 60);
    const visible = Math.min(until, from + fault.visibleAfter * 60);
    const y = 6 + row * 16;
    return `${rect(x(from), y, x(until) - x(from), '#d5dae1')}${rect(x(visible), y, x(until) - x(visible), '#9aa4b2')}<text x="${x(from) + 3}" y="${y + 10}" font-size="10">${escaped(fault.cause)}</text>`;
  });
  const rows = names.map(
    (name, row) =>
      `<text x="${LEFT}" y="${top + row * 16 + 4}" font-size="10" fill="#6b7280">${escaped(name)}</text>`,
  );
  const dots = [...right, ...wrong].map((alert) =>
    dot(alert, x(alert.at), top + names.indexOf(alert.name) * 16, wrongOnes.has(alert)),
  );
  const ticks = run.ticks.map(
    ({ at }) => `<path d="M${x(at).toFixed(1)} ${height - 18}v5" stroke="#9aa4b2"/>`,
  );
  const hours = Array.from({ length: Math.floor(span / 3600) + 1 }, (_, hour) => {
    const at = x(run.startUnix + hour * 3600);
    return `<text x="${at.toFixed(1)}" y="${height - 3}" font-size="9" fill="#6b7280">${hour} h</text>`;
  });
  return `<svg viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">${[...bands, ...rows, ...dots, ...ticks, ...hours].join('')}</svg>`;
}

function rect(x: number, y: number, width: number, fill: string): string {
  return `<rect x="${x.toFixed(1)}" y="${y}" width="${Math.max(1, width).toFixed(1)}" height="13" fill="${fill}"/>`;
}

function dot(alert: PlacedAlert, x: number, y: number, isWrong: boolean): string {
  const title = `<title>tick ${alert.tick}: ${escaped(alert.summary)}</title>`;
  const ring = isWrong
    ? `<circle cx="${x.toFixed(1)}" cy="${y}" r="8" fill="none" stroke="#b3261e" stroke-width="1.5"/>`
    : '';
  const fill = COLOURS[alert.severity];
  const shape =
    alert.destructive.length > 0
      ? `<rect x="${(x - 5).toFixed(1)}" y="${y - 5}" width="10" height="10" fill="${fill}">${title}</rect>`
      : `<circle cx="${x.toFixed(1)}" cy="${y}" r="5" fill="${fill}">${title}</circle>`;
  return ring + shape;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
