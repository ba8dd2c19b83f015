import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';

export interface OpenedPage {
  readonly page: Page;
  /** What went wrong in it, and every address that is not the server's. */
  readonly problems: string[];
}

/** A page of the chat server, once it has asked what is configured. */
export async function openChatPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<OpenedPage> {
  const context = await browser.newContext(options);
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const problems: string[] = [];
  page.setDefaultTimeout(15_000);
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    // A connection that the test cut is told on the console as well.
    const isExpected = /net::ERR_|status of 4\d\d/.test(message.text());
    if (message.type() === 'error' && !isExpected) problems.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(new URL(url).origin)) problems.push(`asked ${request.url()}`);
  });
  await page.goto(url);
  await page.getByRole('list', { name: 'Sources of evidence' }).getByRole('listitem').first().waitFor();
  return { page, problems };
}

export async function askFor(page: Page, text: string): Promise<void> {
  await page.getByLabel('What fails?').fill(text);
  await page.getByRole('button', { name: 'Investigate' }).click();
}

/** Keeps a picture where `ROBUSTNESS_SCREENSHOTS` names a directory. */
export async function takeShot(page: Page, name: string): Promise<void> {
  const directory = process.env['ROBUSTNESS_SCREENSHOTS'];
  if (directory === undefined) return;
  mkdirSync(directory, { recursive: true });
  await page.screenshot({ path: join(directory, `${name}.png`), fullPage: true });
}
