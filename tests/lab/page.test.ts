import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { playFast } from '../../bench/lab/fast.js';
import { renderPage } from '../../bench/lab/html.js';
import { SCENARIOS } from '../../bench/lab/scenarios/index.js';
import { scoreRun } from '../../bench/lab/score.js';
import { figuresOf, summaryOf } from '../../bench/lab/summary.js';
import { CHROMIUM, launchChromium } from '../support/chromium.js';
import { takeShot } from '../support/open-page.js';
import { tempDir } from '../support/temp-dir.js';

if (CHROMIUM === undefined) process.stderr.write('no Chromium: the pages of the lab are not looked at\n');

const NAMES = ['frozen-solid', 'full-disk-tears-the-state', 'leak-holders-unknown', 'ordinary-day'];

/** A page of four scenarios, one of which is missed. */
function page(): string {
  const played = NAMES.map((name) => {
    const scenario = SCENARIOS.find((candidate) => candidate.name === name);
    if (scenario === undefined) throw new Error(`there is no scenario ${name}`);
    const score = scoreRun(playFast(scenario, 5));
    return { score, summary: summaryOf(scenario, [score]) };
  });
  const of = (kind: string) =>
    figuresOf(played.flatMap(({ score }) => (score.run.kind === kind ? [score] : [])));
  return renderPage({ report: '<the report>', healthy: of('healthy'), faulty: of('faulty'), drawn: played });
}

describe.skipIf(CHROMIUM === undefined)('the page of the lab', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium(CHROMIUM ?? '');
  });
  afterAll(() => browser.close());

  const open = async (width: number) => {
    const path = join(tempDir(), 'lab.html');
    writeFileSync(path, page());
    const tab = await browser.newPage({ viewport: { width, height: 800 } });
    await tab.goto(`file://${path}`);
    return tab;
  };

  it.each([375, 1280])('says in words what it draws, and fits %i pixels', async (width) => {
    const tab = await open(width);
    await takeShot(tab, `lab-${width}`);
    expect(await tab.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    const missed = tab.locator('#leak-holders-unknown');
    expect(await missed.textContent()).toContain('MISSED 1 of 1');
    expect(await missed.textContent()).toContain('asked for: high gpu_memory_leaked); missed');
    const found = tab.locator('#frozen-solid');
    expect(await found.textContent()).toMatch(
      /found by local_server_unreachable, \d+ min after it could be seen/,
    );
    await found.locator('summary').click();
    const rows = await found.locator('table tr').allInnerTexts();
    expect(rows.slice(1).every((row) => /\b(high|medium)\b.*\b(right|wrong)\b/s.test(row))).toBe(true);
    expect(rows.join('\n')).toContain('asks for recover');
    await tab.close();
  });

  it('marks differ in shape, and each says what it is', async () => {
    const tab = await open(1280);
    const marks = tab.locator('#frozen-solid .mark');
    const shapes = await marks.evaluateAll((all) =>
      all.map((one) => [
        one.querySelector('title')?.textContent ?? '',
        one.querySelector('path.high, circle')?.tagName,
      ]),
    );
    expect(shapes.length).toBeGreaterThan(2);
    for (const [title, shape] of shapes) expect(shape).toBe(title?.includes(': high ') ? 'path' : 'circle');
    expect(await marks.locator('rect.frame').count()).toBeGreaterThan(0);
    await tab.close();
  });

  it('every link leads to a part of the page, and every part is linked', async () => {
    const tab = await open(1280);
    const targets = await tab
      .locator('a')
      .evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''));
    const ids = new Set(await tab.locator('[id]').evaluateAll((all) => all.map((one) => `#${one.id}`)));
    expect(targets.filter((target) => !ids.has(target))).toEqual([]);
    expect(NAMES.filter((name) => !targets.includes(`#${name}`))).toEqual([]);
    await tab.locator('a[href="#ordinary-day"]').first().click();
    await expect
      .poll(() => tab.locator('#ordinary-day').evaluate((one) => one.getBoundingClientRect().top))
      .toBeLessThan(800);
    await tab.close();
  });
});
