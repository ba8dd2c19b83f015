import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DEFAULT_CONFIG } from '../../../../src/investigate/config.js';
import { modelContinuation } from '../../../../src/investigate/loop/open-model.js';
import type { HealResult } from '../../../../src/investigate/model/heal-result.js';
import { LIVE, type RunTape } from '../../../../src/investigate/replay/run-tape.js';
import { investigate } from '../../../../src/investigate/run.js';
import { createRedactor } from '../../../../src/investigate/safety/redactor.js';
import type { SandboxDriver } from '../../../../src/investigate/sandbox/box.js';
import { type Reproducing, reproduceInSandbox } from '../../../../src/investigate/sandbox/reproduce-tool.js';
import { localSource } from '../../../../src/investigate/sandbox/source.js';
import { createArtefacts } from '../../../../src/investigate/store/artefacts.js';
import { openServices, type Services } from '../../../../src/investigate/tools/service-tools.js';
import { openSourceRoots, type SourceRoot } from '../../../../src/investigate/tools/session/source-slice.js';
import type { Tool } from '../../../../src/investigate/tools/tool.js';
import type { ChatModel } from '../../../../src/llm/chat.js';
import type { Case } from '../../fakes/corpus.js';
import { type Fake, fakeJaeger, fakeLoki } from '../../fakes/servers.js';
import { buildSession } from '../../session/build-session.js';
import { NOW, type Scene } from './scene.js';

/** How long after the last thing that happened the question is asked, s. */
const LATER_S = 60;
/** Stands for a service that a replay never asks. */
const NOWHERE = 'http://replay.invalid';
const ID = 'inv-1780000000-00000000';

/** Who answers: nobody, or a model with or without a sandbox. */
export interface Player {
  readonly model: ChatModel | null;
  readonly driver: SandboxDriver | null;
  /** What of the world is recorded or replayed; everything is live unless given. */
  readonly tape?: RunTape;
}

/** When a scene is asked about, unix s. */
export function timeOf({ session }: Scene): number {
  return session === undefined ? NOW : NOW + 1000;
}

/** Investigates a scene over real servers, files, databases and, where there is one, the sandbox. */
export async function play(scene: Scene, player: Player): Promise<HealResult> {
  const { driver, tape = { ...LIVE, now: () => timeOf(scene) } } = player;
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'scene-')));
  // The sandbox is another user.
  chmodSync(directory, 0o755);
  const fakes: Fake[] = [];
  let services: Services | null = null;
  let sandbox: Reproducing | null = null;
  // In a replay the world is empty: what it held can only come from the cassette.
  const session = scene.session === undefined ? null : buildSession(tape.isReplay ? {} : scene.session);
  const { signal } = new AbortController();
  try {
    const roots = layOut(tape.isReplay ? {} : (scene.source ?? {}), join(directory, 'source'));
    const source = tape.source(roots);
    services = await servicesOf(scene, fakes, tape);
    const model = tape.model(player.model);
    const opened = await tape.sandbox(async () => {
      const mayRun = model !== null && driver !== null && roots.length > 0;
      if (!mayRun) return { made: null, warnings: [] };
      return {
        made: reproduceInSandbox({ driver, model, sources: roots.map(localSource), wallS: 60 }),
        warnings: [],
      };
    });
    sandbox = opened.made;
    const tools: Tool[] = [
      ...services.tools,
      ...(session?.tools().map(tape.tool) ?? []),
      ...source.tools,
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
      trees: async () => source.trees,
      redactor: createRedactor([]),
      artefacts: createArtefacts(join(directory, 'out'), ID, 50),
      config: DEFAULT_CONFIG,
      now: tape.now,
      signal,
      warnings: [],
      ...(sandbox === null ? {} : { reproductions: sandbox.reproductions }),
      ...(model === null
        ? {}
        : {
            continueWithModel: modelContinuation({
              model,
              config: DEFAULT_CONFIG,
              signal,
              nonce: tape.random(8),
            }),
          }),
    });
  } finally {
    sandbox?.close();
    session?.close();
    await services?.close();
    await Promise.all(fakes.map((fake) => fake.close()));
    rmSync(directory, { recursive: true, force: true });
  }
}

function layOut(files: Readonly<Record<string, string>>, root: string): SourceRoot[] {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return openSourceRoots([root]);
}

async function servicesOf(
  { traces = [], logs = {} }: Scene,
  fakes: Fake[],
  { http, isReplay }: RunTape,
): Promise<Services> {
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
    hasTraces && !isReplay ? fakeJaeger(data) : null,
    hasLogs && !isReplay ? fakeLoki(data) : null,
  ]);
  fakes.push(...[jaeger, loki].filter((fake) => fake !== null));
  const urlOf = (fake: Fake | null, has: boolean): string => fake?.url ?? (has ? NOWHERE : '');
  return openServices({
    config: { ...DEFAULT_CONFIG, jaegerUrl: urlOf(jaeger, hasTraces), lokiUrl: urlOf(loki, hasLogs) },
    secrets: {},
    repo: null,
    signal: new AbortController().signal,
    wrap: http,
  });
}
