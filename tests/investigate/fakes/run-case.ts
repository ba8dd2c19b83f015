import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_CONFIG, type InvestigateConfig } from '../../../src/investigate/config.js';
import type { HealResult } from '../../../src/investigate/model/heal-result.js';
import { investigate, type RunSetup } from '../../../src/investigate/run.js';
import { createRedactor, Secret } from '../../../src/investigate/safety/redactor.js';
import { createArtefacts } from '../../../src/investigate/store/artefacts.js';
import { openServices, type Services } from '../../../src/investigate/tools/service-tools.js';
import { type Case, type ExpectedCase, expectedOf, loadCase } from './corpus.js';
import { type Fake, fakeGithub, fakeJaeger, fakeLoki } from './servers.js';

export const REPO = 'example-org/opentelemetry-demo';
export const GITHUB_TOKEN = 'ghp_canary0123456789canary0123456789';

export interface World {
  readonly data: Case;
  readonly expected: ExpectedCase;
  readonly nowUnix: number;
  readonly services: Services;
  readonly config: InvestigateConfig;
  readonly fakes: { readonly jaeger: Fake; readonly loki: Fake; readonly github: Fake };
  readonly directory: string;
  close(): Promise<void>;
}

/** Fake services of one recorded case, and the tools over them. */
export async function openWorld(name: string, withSource: boolean): Promise<World> {
  const data = loadCase(name);
  const [jaeger, loki, github] = await Promise.all([fakeJaeger(data), fakeLoki(data), fakeGithub()]);
  const config = { ...DEFAULT_CONFIG, jaegerUrl: jaeger.url, lokiUrl: loki.url, githubApiUrl: github.url };
  const services = await openServices({
    config,
    secrets: withSource ? { githubToken: new Secret(GITHUB_TOKEN) } : {},
    repo: withSource ? REPO : null,
    signal: new AbortController().signal,
  });
  const directory = mkdtempSync(join(tmpdir(), 'investigate-'));
  return {
    data,
    expected: expectedOf(name),
    nowUnix: Number(data.now_unix_ns) / 1e9,
    services,
    config,
    fakes: { jaeger, loki, github },
    directory,
    close: async () => {
      await services.close();
      await Promise.all([jaeger.close(), loki.close(), github.close()]);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The setup of an investigation of the case's own issue. */
export function setupOf(world: World, id = 'inv-1780000000-00000000'): RunSetup {
  const { issue } = world.expected;
  return {
    investigationId: id,
    question: {
      text: issue.description,
      symptom: null,
      subject: {},
      key: null,
      serviceName: issue.service_name,
      traceId: issue.trace_id,
      windowMinutes: issue.time_window_minutes,
      incidentUnix: world.nowUnix,
      snapshot: null,
    },
    tools: world.services.tools,
    trees: world.services.trees,
    redactor: createRedactor([GITHUB_TOKEN]),
    artefacts: createArtefacts(world.directory, id, 50),
    config: world.config,
    now: () => world.nowUnix,
    signal: new AbortController().signal,
    warnings: [],
  };
}

export async function runCase(name: string, withSource: boolean): Promise<HealResult> {
  const world = await openWorld(name, withSource);
  try {
    return await investigate(setupOf(world));
  } finally {
    await world.close();
  }
}
