import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DEFAULT_CONFIG } from '../../../../src/investigate/config.js';
import { modelContinuation } from '../../../../src/investigate/loop/open-model.js';
import type { HealResult } from '../../../../src/investigate/model/heal-result.js';
import { investigate } from '../../../../src/investigate/run.js';
import { createRedactor } from '../../../../src/investigate/safety/redactor.js';
import type { SandboxDriver } from '../../../../src/investigate/sandbox/box.js';
import { type Reproducing, reproduceInSandbox } from '../../../../src/investigate/sandbox/reproduce-tool.js';
import { localSource } from '../../../../src/investigate/sandbox/source.js';
import { createArtefacts } from '../../../../src/investigate/store/artefacts.js';
import { openServices, type Services } from '../../../../src/investigate/tools/service-tools.js';
import {
  openSourceRoots,
  readSourceSlice,
  type SourceRoot,
} from '../../../../src/investigate/tools/session/source-slice.js';
import type { Tool } from '../../../../src/investigate/tools/tool.js';
import type { ChatModel } from '../../../../src/llm/chat.js';
import type { Case } from '../../fakes/corpus.js';
import { type Fake, fakeJaeger, fakeLoki } from '../../fakes/servers.js';
import { buildSession } from '../../session/build-session.js';
import { NOW, type Scene } from './scene.js';

/** How long after the last thing that happened the question is asked, s. */
const LATER_S = 60;
const ID = 'inv-1780000000-00000000';

/** Who answers: nobody, or a model with or without a sandbox. */
export interface Player {
  readonly model: ChatModel | null;
  readonly driver: SandboxDriver | null;
}

/** Investigates a scene over real servers, files, databases and, where there is one, the sandbox. */
export async function play(scene: Scene, { model, driver }: Player): Promise<HealResult> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'scene-')));
  // The sandbox is another user.
  chmodSync(directory, 0o755);
  const fakes: Fake[] = [];
  let services: Services | null = null;
  let sandbox: Reproducing | null = null;
  const session = scene.session === undefined ? null : buildSession(scene.session);
  const { signal } = new AbortController();
  try {
    const roots = layOut(scene, join(directory, 'source'));
    services = await servicesOf(scene, fakes);
    if (model !== null && driver !== null && roots.length > 0) {
      sandbox = reproduceInSandbox({ driver, model, sources: roots.map(localSource), wallS: 60 });
    }
    const tools: Tool[] = [
      ...services.tools,
      ...(session?.tools() ?? []),
      ...(roots.length === 0 ? [] : [readSourceSlice(roots)]),
      ...(sandbox === null ? [] : [sandbox.tool]),
    ];
    return await investigate({
      investigationId: ID,
      question: {
        text: scene.issue,
        symptom: scene.session?.symptom ?? null,
        subject: {},
        key: null,
        serviceName: scene.service,
        traceId: null,
        windowMinutes: 10,
        incidentUnix: scene.session === undefined ? NOW : NOW + LATER_S,
        snapshot: scene.session?.snapshot ?? null,
      },
      tools,
      trees: async () => roots.map(({ tree }) => tree),
      redactor: createRedactor([]),
      artefacts: createArtefacts(join(directory, 'out'), ID, 50),
      config: DEFAULT_CONFIG,
      now: () => (scene.session === undefined ? NOW : NOW + 1000),
      signal,
      warnings: [],
      ...(sandbox === null ? {} : { reproductions: sandbox.reproductions }),
      ...(model === null
        ? {}
        : { continueWithModel: modelContinuation(model, DEFAULT_CONFIG, signal, 'nonce') }),
    });
  } finally {
    sandbox?.close();
    session?.close();
    await services?.close();
    await Promise.all(fakes.map((fake) => fake.close()));
    rmSync(directory, { recursive: true, force: true });
  }
}

function layOut({ source = {} }: Scene, root: string): SourceRoot[] {
  for (const [path, text] of Object.entries(source)) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return openSourceRoots([root]);
}

async function servicesOf({ traces = [], logs = {} }: Scene, fakes: Fake[]): Promise<Services> {
  const label = 'compose_service';
  const data: Case = {
    case: 'made',
    now_unix_ns: `${NOW}000000000`,
    calls: [],
    corpus: {
      jaeger: {
        services: [
          ...new Set(
            traces.flatMap(({ processes }) => Object.values(processes).map(({ serviceName }) => serviceName)),
          ),
        ],
        traces: [...traces],
      },
      loki: {
        label,
        streams: Object.entries(logs).map(([service, lines]) => ({
          stream: { [label]: service },
          values: lines.map(([at, text]): [string, string] => [`${Math.round(at * 1000)}000000`, text]),
        })),
      },
    },
  };
  const hasTraces = traces.length > 0;
  const hasLogs = Object.keys(logs).length > 0;
  const [jaeger, loki] = await Promise.all([
    hasTraces ? fakeJaeger(data) : null,
    hasLogs ? fakeLoki(data) : null,
  ]);
  fakes.push(...[jaeger, loki].filter((fake) => fake !== null));
  return openServices({
    config: { ...DEFAULT_CONFIG, jaegerUrl: jaeger?.url ?? '', lokiUrl: loki?.url ?? '' },
    secrets: {},
    repo: null,
    signal: new AbortController().signal,
  });
}
