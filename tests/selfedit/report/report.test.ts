import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { DEFAULT_SELFEDIT_CONFIG } from '../../../src/selfedit/config/parse-config.js';
import type { EditReport, RunReport } from '../../../src/selfedit/loop/report.js';
import { htmlReport } from '../../../src/selfedit/report/html-report.js';
import { textReport } from '../../../src/selfedit/report/text-report.js';
import { wrapText } from '../../../src/selfedit/report/wrap.js';
import { CHROMIUM, launchChromium } from '../../support/chromium.js';
import { takeShot } from '../../support/open-page.js';
import { tempDir } from '../../support/temp-dir.js';
import { demo } from '../support/demo.js';

const HOSTILE =
  '<img src=http://127.0.0.1:9/x onerror=alert(1)>"\'&\u0007 <script>alert(2)</script> </style>';

let report: RunReport;
beforeAll(async () => {
  report = await demo(0);
});

/** The report with other people's texts wherever they can come from. */
function hostile(): RunReport {
  const spoilt = (edit: EditReport): EditReport => ({
    ...edit,
    label: null,
    edit_id: HOSTILE,
    hypothesis: HOSTILE,
    intent: HOSTILE,
    segment: HOSTILE,
    reason: HOSTILE,
    segments: edit.segments.map((row) => ({ ...row, segment: HOSTILE })),
  });
  return { ...report, run_id: HOSTILE, notes: [HOSTILE], stopped: HOSTILE, edits: report.edits.map(spoilt) };
}

describe('the page of a run', () => {
  const page = (of: RunReport): string => htmlReport(of, DEFAULT_SELFEDIT_CONFIG);

  it('refers to nothing outside and allows nothing but its own style sheet', () => {
    const html = page(report);
    expect(html).toMatch(
      /content="default-src 'none'; style-src 'sha256-[\w+/]{43}='; base-uri 'none'; form-action 'none'"/,
    );
    expect(html).not.toMatch(/<script|https?:|\bsrc=|\bhref=|\bstyle="|url\(|@import|unsafe-inline/);
  });

  it('has what a reader asks for', () => {
    const html = page(report);
    for (const text of [
      'version 1 became 4',
      'audit accuracy',
      'class="forest"',
      'class="power"',
      'p of harm',
    ]) {
      expect(html).toContain(text);
    }
    expect(html).toContain('changes 60 lines, at most 20 are allowed');
    expect(page({ ...report, audit: null, edits: [], baseline: null })).toContain('measurement noise');
  });

  it('shows texts of others as texts', () => {
    const html = page(hostile());
    expect(html).not.toMatch(/<img|<script|\u0007/);
    expect(html.match(/<\/style>/g)).toHaveLength(1);
    expect(html).toContain('&lt;script&gt;alert(2)&lt;/script&gt;');
  });
});

if (CHROMIUM === undefined) process.stderr.write('no Chromium: the page of a run is not looked at\n');

describe.skipIf(CHROMIUM === undefined)('the page in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium(CHROMIUM ?? '');
  });
  afterAll(() => browser.close());

  it.each([
    ['a telephone', 360],
    ['a desk', 1280],
  ])('opens offline, without complaints, and fits %s', async (name, width) => {
    for (const [kind, of] of [
      ['plain', report],
      ['hostile', hostile()],
    ] as const) {
      const file = join(tempDir(), 'report.html');
      writeFileSync(file, htmlReport(of, DEFAULT_SELFEDIT_CONFIG));
      const context = await browser.newContext({ viewport: { width, height: 700 }, offline: true });
      onTestFinished(() => context.close());
      const page = await context.newPage();
      const seen: string[] = [];
      page.on('console', (message) => seen.push(message.text()));
      page.on('pageerror', (error) => seen.push(error.message));
      page.on('dialog', (dialog) => seen.push(dialog.message()));
      page.on('request', (request) => {
        if (!request.url().startsWith('file:')) seen.push(request.url());
      });
      await page.goto(`file://${file}`);
      expect([kind, seen]).toEqual([kind, []]);
      const layout = await page.evaluate<{ overflow: number; styled: string; smallest: number }>(`({
        overflow: document.documentElement.scrollWidth - innerWidth,
        // The style sheet is in force, or the policy would have kept it out.
        styled: getComputedStyle(document.querySelector('.forest')).display,
        smallest: Math.min(...[...document.querySelectorAll('td, dd, dt, p, figcaption, .forest span')].map((one) =>
          Number.parseFloat(getComputedStyle(one).fontSize))),
      })`);
      expect(layout).toMatchObject({ overflow: 0, styled: 'grid' });
      expect(layout.smallest).toBeGreaterThanOrEqual(12);
      await takeShot(page, `selfedit-${kind}-${name.replace(' ', '-')}`);
    }
  });
});

describe('the report for a terminal', () => {
  it('fits 80 columns, whatever the ids', () => {
    const long = { ...report, edits: hostile().edits, notes: ['word '.repeat(60)] };
    for (const text of [textReport(report), textReport(long)]) {
      expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
    }
    expect(textReport(report)).toContain('baseline: version 1 passes');
    expect(textReport({ ...report, audit: null })).toContain('would be noise');
  });

  it('wraps at blanks and indents what follows', () => {
    expect(wrapText('note: a b', '  ')).toEqual(['note: a b']);
    const lines = wrapText(`note: ${'word '.repeat(30)}`, '  ');
    expect(lines.length).toBe(2);
    expect(lines[1]).toMatch(/^ {2}word/);
    expect(lines.every((line) => line.length <= 80)).toBe(true);
  });
});
