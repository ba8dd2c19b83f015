import { defaultsOf } from '../../src/foreign/config-field.js';
import type { JsonObject } from '../../src/foreign/json.js';
import type { AgentConfig } from '../../src/reactor/config/fields.js';
import { agentFields } from '../../src/reactor/config/fields.js';
import { decideTick, type TickDecision } from '../../src/reactor/decide-tick.js';
import { SOURCES_SLOT } from '../../src/reactor/perform-tick.js';
import { readRequest, type TickRequest } from '../../src/reactor/request/parse-request.js';
import { requestContext } from '../../src/reactor/request/request-context.js';
import { type Slots, slotOf, withSlots } from '../../src/reactor/store/slots.js';
import { cooldownKey } from '../../src/signals/symptom.js';
import type { Snapshot } from '../../src/sources/snapshot.js';
import { destructiveName, echoIntents, intentWord } from './echo.js';
import type { LifeOptions } from './life/life.js';
import { look } from './look/look.js';
import { LabRandom } from './random.js';
import type { LabAlert, LabRun, LabTick } from './result.js';
import { Lab, type Scenario } from './scenario.js';
import { timeTruths } from './truths.js';
import { renderLabPrompt } from './world/prompt.js';
import { LabWorld } from './world/world.js';

/** Where every virtual clock starts, unix s: a time of day with nothing special about it. */
export const LAB_EPOCH = 1_933_135_628;
/** However long an action blocks, s. */
const LONGEST_TICK_S = 12 * 3600;

/** One tick as a recording holds it. */
export interface RecordedLabTick {
  readonly request: JsonObject;
  readonly sources: Snapshot;
}

/** What both modes of playing understand. */
export interface PlayOptions {
  readonly hours?: number;
  /** Over the scenario's own. */
  readonly life?: Partial<LifeOptions>;
  /** Further request options. */
  readonly options?: JsonObject;
  /** Start of the virtual clock, unix s; drawn unless given. */
  readonly startUnix?: number;
}

export interface FastOptions extends PlayOptions {
  /** Called with every tick, for an export. */
  readonly record?: (tick: RecordedLabTick) => void;
}

const DEFAULTS = defaultsOf(agentFields());
const AS_IT_IS = (text: string): string => text;

/** The world of a scenario, ready to be played, and when it ends. */
export function prepare(
  scenario: Scenario,
  seed: number,
  options: PlayOptions & { readonly sessionDir?: string },
) {
  const random = new LabRandom(seed);
  const drawn = LAB_EPOCH + random.whole(0, 30 * 86_400);
  const world = new LabWorld(random, options.startUnix ?? drawn, options.sessionDir, `lab-${scenario.name}`);
  const lab = new Lab(world, random, { ...scenario.life, ...options.life });
  scenario.plan(lab);
  return { lab, world, endUnix: lab.startUnix + (options.hours ?? scenario.hours) * 3600 };
}

/** Plays a scenario on a virtual clock: snapshots and prompts straight into the reactor, state carried from tick to tick. */
export function playFast(scenario: Scenario, seed: number, options: FastOptions = {}): LabRun {
  const { lab, world, endUnix } = prepare(scenario, seed, options);
  const config: AgentConfig = { ...DEFAULTS, ...fieldsOf(world, scenario, options) };
  const ticks: LabTick[] = [];
  let slots: Slots = {};
  while (world.now < endUnix) {
    lab.beforeTick();
    const request = requestOf(world, scenario, options);
    const seen = look(world, slotOf(slots, SOURCES_SLOT));
    options.record?.({ request, sources: seen.snapshot });
    slots = withSlots(slots, { [SOURCES_SLOT]: seen.memory });
    const { context } = requestContext(parsed(request), world.sessionDir, world.now);
    const decided = decideTick({
      context,
      snapshot: seen.snapshot,
      slots,
      config,
      silences: [],
      redact: AS_IT_IS,
    });
    slots = decided.slots;
    ticks.push(tickOf(decided, world));
    echoIntents(
      lab,
      decided.decision.intents.map(({ intent_type, payload }) => ({ intent_type, payload })),
    );
    passTime(lab);
  }
  return {
    scenario: scenario.name,
    kind: scenario.kind,
    seed,
    sessionDir: world.sessionDir,
    startUnix: lab.startUnix,
    endUnix: world.now,
    ticks,
    faults: lab.faults,
    notices: scenario.notices ?? [],
  };
}

/** Lets the session go on until our agent's next turn. */
export function passTime(lab: Lab): void {
  const { life, world } = lab;
  life.pump();
  const pause = life.pauseUntil();
  const giveUp = world.now + LONGEST_TICK_S;
  while (world.now < giveUp && world.now < Math.max(pause, life.blocksUntil())) lab.step();
}

/** The request that the Coordinator would write. */
export function requestOf(world: LabWorld, scenario: Scenario, { options }: PlayOptions): JsonObject {
  return {
    kind: 'coordinator_inbox',
    session_id: world.sessionId,
    raw_prompt: renderLabPrompt(world),
    context: { tick_index: world.coordinator.tick, now_unix: world.now },
    options: {
      session_dir: world.sessionDir,
      llm_rca_enabled: false,
      ...scenario.options,
      ...world.options,
      ...options,
    },
  };
}

/** Options that are fields of the configuration, as a request may carry them. */
function fieldsOf(world: LabWorld, scenario: Scenario, { options }: PlayOptions): AgentConfig {
  const fields: Record<string, AgentConfig[string]> = {};
  for (const [name, value] of Object.entries({ ...scenario.options, ...world.options, ...options })) {
    if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string')
      fields[name] = value;
  }
  return fields;
}

function parsed(request: JsonObject): TickRequest {
  const reading = readRequest(request);
  if (!reading.ok) throw new Error(`the lab wrote a request that is refused: ${reading.refusal.happened}`);
  return reading.request;
}

function tickOf({ decision, classification, tick }: TickDecision, world: LabWorld): LabTick {
  const alerts = decision.emissions.map(
    ({ symptom, intents }): LabAlert => ({
      name: symptom.name,
      severity: symptom.severity,
      subject: symptom.subject,
      summary: symptom.summary,
      destructive: intents.flatMap((intent) => destructiveName(intent) ?? []),
    }),
  );
  const muted = Object.entries(decision.presence.muted);
  return {
    tick,
    at: world.now,
    alerts,
    present: classification.symptoms.map((symptom) => ({
      key: cooldownKey(symptom),
      severity: symptom.severity,
    })),
    explained: muted.flatMap(([key, reason]) => (reason === 'inhibition_enabled' ? [key] : [])),
    truths: timeTruths(world),
    intents: decision.intents.map(intentWord),
  };
}
