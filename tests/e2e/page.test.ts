import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { tellStory } from '../investigate/server/story.js';
import { chat, type RunningServer, startServer } from '../investigate/server/support.js';
import { CHROMIUM, launchChromium } from '../support/chromium.js';
import { cuttingProxy } from '../support/cutting-proxy.js';
import { askFor, openChatPage, takeShot } from '../support/open-page.js';

const HOSTILE = [
  '<img src=x onerror="window.pwned=1">',
  '</li></ol><script>window.pwned=1</script>',
  '"><svg onload=window.pwned=1>',
  '[click](javascript:window.pwned=1) ![](https://evil.example/x.png)',
];

if (CHROMIUM === undefined)
  process.stderr.write('skipped: no Chromium is installed, so the page is not tested in one\n');

describe.skipIf(CHROMIUM === undefined)('the page in Chromium', () => {
  let browser: Browser;
  let problems: string[] = [];

  beforeAll(async () => {
    browser = await launchChromium(CHROMIUM ?? '');
  });
  afterAll(() => browser.close());
  afterEach(() => {
    const seen = problems;
    problems = [];
    expect(seen).toEqual([]);
  });

  async function openPage(url: string, options: BrowserContextOptions = {}): Promise<Page> {
    const opened = await openChatPage(browser, url, options);
    problems = opened.problems;
    return opened.page;
  }

  it('shows a whole investigation, and opens the evidence where it is cited', async () => {
    const { url, engine } = await startServer();
    tellStory(engine);
    engine.isGated = true;
    const page = await openPage(url);
    await takeShot(page, 'welcome-desktop-light');
    await askFor(page, 'Adding an item to the cart answers 500 since 14:20 UTC.');
    engine.next(3);
    const steps = page.locator('#steps > li');
    await steps.nth(2).waitFor();
    await expect.poll(() => page.getByRole('status').first().textContent()).toContain('3 steps so far');
    await takeShot(page, 'running-desktop-light');
    engine.next(3);
    const result = page.getByRole('article', { name: 'Root cause' });
    await result.waitFor();
    expect(await result.locator('.band').textContent()).toBe('medium 80 %');
    expect(await result.getByText('What would raise it').isVisible()).toBe(true);
    expect(await steps.count()).toBe(5);
    const cite = result.getByRole('button', { name: 'Evidence r002' }).first();
    await cite.click();
    const panel = result.getByRole('region', { name: 'Evidence r002' });
    await panel.locator('mark').waitFor();
    expect(await panel.locator('mark').textContent()).toBe('could not connect to valkey-cart:6379');
    expect(await cite.getAttribute('aria-expanded')).toBe('true');
    await takeShot(page, 'result-desktop-light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await takeShot(page, 'result-desktop-dark');
    expect(await page.locator('#past a[aria-current]').textContent()).toContain('Adding an item');
  });

  it('fits a phone, in the light and in the dark', async () => {
    const { url, engine } = await startServer();
    tellStory(engine);
    const page = await openPage(url, {
      viewport: { width: 375, height: 740 },
      hasTouch: true,
      isMobile: true,
    });
    await takeShot(page, 'welcome-phone-light');
    await askFor(page, 'Adding an item to the cart answers 500 since 14:20 UTC.');
    await page.getByRole('article', { name: 'Root cause' }).waitFor();
    await page.getByRole('button', { name: 'Evidence r002' }).first().click();
    await page.locator('mark').first().waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await takeShot(page, `result-phone-${colorScheme}`);
    }
    const overflow = await page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
    expect(overflow).toBe(0);
  });

  it('goes on with the same run after a reload in the middle', async () => {
    const { url, engine } = await startServer();
    engine.isGated = true;
    const page = await openPage(url);
    await askFor(page, 'the cart fails');
    engine.next(2);
    await page.locator('#steps > li').nth(1).waitFor();
    await page.reload();
    await page.locator('#steps > li').nth(1).waitFor();
    expect(await page.getByRole('heading', { level: 1 }).first().textContent()).toBe('the cart fails');
    engine.next(2);
    await page.getByRole('article', { name: 'Root cause' }).waitFor();
    expect(await page.locator('#steps > li').count()).toBe(3);
    expect(engine.questions).toHaveLength(1);
    await page.reload();
    await page.getByRole('article', { name: 'Root cause' }).waitFor();
    expect(await page.locator('#steps > li').count()).toBe(3);
  });

  it('comes back after a lost connection, and misses and repeats nothing', async () => {
    const { port, engine } = await startServer();
    engine.isGated = true;
    const proxy = await cuttingProxy(port);
    onTestFinished(() => proxy.close());
    const page = await openPage(proxy.url);
    await askFor(page, 'the cart fails');
    engine.next(1);
    await page.locator('#steps > li').first().waitFor();
    proxy.cut();
    await page.getByText('The connection is lost').waitFor();
    await takeShot(page, 'lost-desktop-light');
    engine.next(1);
    proxy.restore();
    await page
      .getByRole('button', { name: 'Try now' })
      .click({ timeout: 2000 })
      .catch(() => undefined);
    await page.locator('#steps > li').nth(1).waitFor();
    expect(await page.getByText('The connection is lost').isVisible()).toBe(false);
    engine.next(2);
    await page.getByRole('article', { name: 'Root cause' }).waitFor();
    expect(await page.locator('#steps .round').allTextContents()).toEqual(['1', '2', '3']);
  });

  it('shows hostile text as text, wherever it stands', async () => {
    const { url, engine } = await startServer();
    const bad = HOSTILE.join(' ');
    engine.steps = HOSTILE.map((line) => ({
      summary: line,
      receipt: {
        tool: line,
        note: line,
        services: [line],
        fingerprints: [line],
        args: { service: line },
        injection_suspect: true,
      },
      payload: {
        entries: [
          { ts_unix: 1_777_800_000, line },
          { ts_unix: 1e300, path: line, line },
        ],
      },
    }));
    engine.report = { configured: ['loki', bad], unavailable: [bad], needs_input: [] };
    engine.result = {
      issue_summary: bad,
      recommended_fix: bad,
      fix_code_snippet: bad,
      confidence_note: bad,
      warnings: [bad],
      tools_unavailable: [bad],
      propagation: [{ source: bad, target: bad, condition: bad, effect: bad, receipt_ids: ['r001'] }],
      alternatives: [{ error_type: 'oom', subject: bad, score: 0.3 }],
      root_cause: {
        description: bad,
        file_path: bad,
        line_number: 1,
        confidence: 0.5,
        confidence_level: 'low',
        evidence: [bad],
        error_type: 'network',
        service: bad,
        subject: bad,
        fingerprints: [bad],
        claims: [{ text: bad, receipt_ids: ['r001'], quote: HOSTILE[0] ?? null, verified: true }],
      },
    };
    const page = await openPage(url);
    await askFor(page, bad);
    const result = page.getByRole('article', { name: 'Root cause' });
    await result.waitFor();
    for (const button of await page.locator('.cite').all()) await button.click();
    await page.locator('mark').first().waitFor();
    await expect.poll(() => page.locator('.evidence .lines').count()).toBe(HOSTILE.length + 2);
    expect(await page.evaluate('window.pwned')).toBeUndefined();
    expect(await page.locator('main img, main svg, main script, main a').count()).toBe(0);
    expect(await result.locator('.cause').textContent()).toBe(bad);
    await page.reload();
    await result.waitFor();
    expect(await page.evaluate('window.pwned')).toBeUndefined();
  });

  it('is usable with the keyboard alone', async () => {
    const { url, engine } = await startServer();
    tellStory(engine);
    const page = await openPage(url);
    const focused = () =>
      page.evaluate<string>('document.activeElement?.id || document.activeElement?.textContent || ""');
    const tabTo = async (wanted: string) => {
      for (let count = 0; count < 60; count += 1) {
        await page.keyboard.press('Tab');
        if ((await focused()).startsWith(wanted)) return;
      }
      throw new Error(`Tab does not lead to ${wanted}`);
    };
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Skip to the investigation');
    await page.keyboard.press('Enter');
    await tabTo('issue');
    await page.keyboard.type('The cart answers 500.');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('Since 14:20 UTC.');
    await page.keyboard.press('Enter');
    await page.getByRole('article', { name: 'Root cause' }).waitFor();
    expect(engine.questions[0]?.issue.description).toBe('The cart answers 500.\nSince 14:20 UTC.');
    await tabTo('r001');
    await page.keyboard.press('Enter');
    const panel = page.getByRole('region', { name: 'Evidence r001' }).first();
    await panel.locator('.pairs').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => panel.isVisible()).toBe(false);
    expect(await focused()).toBe('r001');
  });

  it('cancels, and says what became of the run', async () => {
    const { url, engine } = await startServer();
    engine.isGated = true;
    const page = await openPage(url);
    await askFor(page, 'the cart fails');
    engine.next(1);
    await page.locator('#steps > li').first().waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('heading', { name: 'No result' }).waitFor();
    await page.getByText('broken off').waitFor();
  });

  it('asks for the token once, and takes it from the address', async () => {
    const { url } = await startServer({ token: 'correct horse' });
    await seed({ url }, { authorization: 'Bearer correct horse' });
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(url);
    await page.getByLabel('Token').fill('wrong');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('This token was not accepted.').waitFor();
    await takeShot(page, 'token-desktop-light');
    await page.getByLabel('Token').fill('correct horse');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.locator('#past a').first().waitFor();
    await page.reload();
    await page.locator('#past a').first().waitFor();
    const other = await browser.newContext();
    onTestFinished(() => other.close());
    const linked = await other.newPage();
    await linked.goto(`${url}/#token=correct%20horse`);
    await linked.locator('#past a').first().waitFor();
    expect(linked.url()).toBe(`${url}/`);
  });

  it('opens past investigations, also with the buttons of the browser', async () => {
    const { url } = await startServer();
    await seed({ url });
    const page = await openPage(url);
    await page.getByRole('link', { name: 'an older failure' }).click();
    await page.getByRole('article', { name: 'Root cause' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Why did it fail?' }).waitFor();
    await page.goForward();
    await page.getByRole('article', { name: 'Root cause' }).waitFor();
  });
});

/** One finished investigation. */
async function seed({ url }: Pick<RunningServer, 'url'>, headers = {}): Promise<void> {
  const response = await chat(url, 'an older failure', null, headers);
  await response.text();
}
