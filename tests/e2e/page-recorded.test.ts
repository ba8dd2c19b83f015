import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { investigate } from '../../src/investigate/run.js';
import { createFileArchive } from '../../src/investigate/server/file-archive.js';
import { createChatServer } from '../../src/investigate/server/http/app.js';
import type { Investigator } from '../../src/investigate/server/investigator.js';
import { openWorld, setupOf, type World } from '../investigate/fakes/run-case.js';
import { CHROMIUM, launchChromium } from '../support/chromium.js';
import { askFor, openChatPage, takeShot } from '../support/open-page.js';

if (CHROMIUM === undefined)
  process.stderr.write('skipped: no Chromium is installed, so the page is not tested in one\n');

/** The engine of the product on a recorded case, at the clock of the recording. */
function engineOf(world: World): Investigator {
  return {
    usesModel: false,
    capabilities: () => ({
      configured: ['jaeger', 'loki', 'github'],
      unavailable: ['sandbox'],
      needs_input: [],
    }),
    start: ({ investigationId }, onEvent, signal) =>
      investigate({
        ...setupOf(world, investigationId),
        signal,
        onPhase: (phase, budget) => onEvent({ type: 'progress', phase, budget }),
        onStep: (step, { receipt_id, status }) => onEvent({ type: 'step', ...step, receipt_id, status }),
      }),
  };
}

async function serveWorld(name: string): Promise<{ world: World; url: string }> {
  const world = await openWorld(name, true);
  const server = createChatServer({
    investigator: engineOf(world),
    archive: createFileArchive(world.directory),
    access: { token: null, allowedHosts: [], host: '127.0.0.1' },
    policy: { allowChatUrls: false, urlAllowlist: [] },
    version: '0.0.0',
  });
  await server.app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(async () => {
    await server.close();
    await world.close();
  });
  const { port } = server.app.server.address() as AddressInfo;
  return { world, url: `http://127.0.0.1:${port}` };
}

describe.skipIf(CHROMIUM === undefined)('the page on recorded failures', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium(CHROMIUM ?? '');
  });
  afterAll(() => browser.close());

  it.each(['adFailure', 'cartFailure', 'adHighCpu'])(
    'explains %s from Jaeger, Loki and GitHub',
    async (name) => {
      const { world, url } = await serveWorld(name);
      const { page, problems } = await openChatPage(browser, url);
      await askFor(page, world.expected.issue.description);
      const result = page.getByRole('article', { name: 'Root cause' });
      await result.waitFor();
      const { with_source: expected } = world.expected.deterministic;
      const percent = Math.round(expected.confidence * 100);
      expect(await result.locator('.band').textContent()).toBe(`${expected.confidence_level} ${percent} %`);
      expect(await result.locator('.type').textContent()).toBe(expected.error_type.replaceAll('_', ' '));
      const cites = result.locator('.claims .cite');
      expect(await cites.count()).toBeGreaterThan(0);
      await cites.first().click();
      await result.locator('.evidence .pairs').first().waitFor();
      await page.locator('#steps .cite').last().click();
      await page.locator('#steps .evidence .pairs').waitFor();
      await takeShot(page, `recorded-${name}`);
      await page.reload();
      await result.waitFor();
      expect(await result.locator('.type').textContent()).toBe(expected.error_type.replaceAll('_', ' '));
      expect(world.fakes.jaeger.requests.length + world.fakes.loki.requests.length).toBeGreaterThan(0);
      expect(problems).toEqual([]);
    },
  );
});
