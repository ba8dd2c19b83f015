import { escaped } from './page/escape.js';
import { legend } from './page/marks.js';
import { type DrawnScenario, section, verdictOf } from './page/section.js';
import { STYLE } from './page/style.js';
import { type Figures, recallOf } from './summary.js';
import { LIMITS } from './table.js';

export type { DrawnScenario } from './page/section.js';

/** What a page shows. */
export interface LabPage {
  /** The report for a terminal. */
  readonly report: string;
  readonly healthy: Figures;
  readonly faulty: Figures;
  readonly drawn: readonly DrawnScenario[];
}

/** A page that needs nothing else: the figures, an index, and per scenario a picture of the truth against the alerts. */
export function renderPage({ report, healthy, faulty, drawn }: LabPage): string {
  const bad = drawn.filter(({ summary }) => verdictOf(summary).isBad);
  const ofKind = (kind: string) => drawn.filter(({ summary }) => summary.kind === kind);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Detection lab</title><style>${STYLE}</style></head><body>
<h1>Detection lab</h1>
<p>Sessions that were made up, what went wrong in them, and what the agent said.</p>
<table>${figureRows(healthy, faulty)}</table>
<h2 id="kinds">Kinds</h2>
${index('Missed, or with wrong alerts', bad)}
${index('Faulty', ofKind('faulty'))}
${index('Healthy', ofKind('healthy'))}
<h2>How to read the pictures</h2>
${legend()}
<details><summary>What this cannot show</summary><p>${LIMITS.map(escaped).join(' ')}</p></details>
<details><summary>The report as text</summary><pre>${escaped(report)}</pre></details>
${drawn.map(section).join('\n')}
</body></html>
`;
}

function figureRows(healthy: Figures, faulty: Figures): string {
  const recall = recallOf(faulty);
  const per100 = healthy.hours === 0 ? null : (healthy.falseMedium / healthy.hours) * 100;
  const rows: (readonly [string, string])[] = [];
  if (healthy.runs > 0) {
    rows.push(
      ['healthy sessions', `${healthy.runs}, ${healthy.hours.toFixed(0)} h`],
      ['wrong high alerts in them', String(healthy.falseHigh)],
      ['wrong medium alerts in them', `${healthy.falseMedium} (${per100?.toFixed(2)} in 100 h)`],
      ['destructive intents in them', String(healthy.falseDestructive)],
    );
  }
  if (faulty.runs > 0) {
    rows.push(
      ['faults that could be seen', String(faulty.faults)],
      ['of these found', recall === null ? '-' : `${faulty.found} (${(recall * 100).toFixed(1)} %)`],
      [
        'looks until then, median (worst)',
        `${faulty.medianDelayTicks ?? '-'} (${faulty.worstDelayTicks ?? '-'})`,
      ],
      ['alerts in the first hour', faulty.newsPerIncident?.toFixed(2) ?? '-'],
    );
  }
  return rows.map(([name, value]) => `<tr><td>${name}</td><td class="number">${value}</td></tr>`).join('');
}

function index(title: string, drawn: readonly DrawnScenario[]): string {
  if (drawn.length === 0) return '';
  const rows = drawn.map(({ summary }) => {
    const { text, isBad } = verdictOf(summary);
    const { scenario, story } = summary;
    return `<tr><td><a href="#${scenario}">${escaped(scenario)}</a></td><td class="verdict ${isBad ? 'bad' : ''}">${text}</td><td class="wide">${escaped(story)}</td></tr>`;
  });
  return `<details open><summary><b>${title}</b> (${drawn.length})</summary><table>${rows.join('')}</table></details>`;
}
