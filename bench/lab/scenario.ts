import type { JsonObject } from '../../src/foreign/json.js';
import type { Severity } from '../../src/signals/symptom.js';
import { type LifeOptions, SessionLife, USUAL_LIFE } from './life/life.js';
import type { LabRandom } from './random.js';
import type { LabWorld } from './world/world.js';

/** A symptom by name, or `name:value` with the value of one of its subject's pairs. */
export type SymptomMatch = string;

/** Something that really goes wrong in a scenario. */
export interface Fault {
  /** One line for people. */
  readonly cause: string;
  /** Minutes from the start of the session: when it happens, and when it is over. */
  readonly from: number;
  readonly until: number;
  /**
   * Minutes after `from` at which somebody who sees everything that the agent may look at could know of it. The tick at or
   * after that moment is where the delay is counted from.
   */
  readonly visibleAfter: number;
  /** Any one of these, at `severity` or above, finds it. */
  readonly right: readonly SymptomMatch[];
  readonly severity: Severity;
  /** Consequences that may be reported beside it. */
  readonly company: readonly SymptomMatch[];
  /** Destructive intents that are in order: `recover` or `prune:FAMILY`. */
  readonly destructive: readonly string[];
}

type FaultPlan = Partial<Fault> & Pick<Fault, 'cause' | 'from' | 'right'>;

export interface Scenario {
  readonly name: string;
  readonly kind: 'healthy' | 'faulty';
  /** What really happens, one line. */
  readonly story: string;
  /** Length of the simulated session unless the caller says otherwise. */
  readonly hours: number;
  readonly life?: Partial<LifeOptions>;
  /** Request options of every tick. */
  readonly options?: JsonObject;
  /**
   * Symptom → figure or wording that the agent is given of this fault and that no rule, test or document contains
   * (`tests/lab/unseen.test.ts` looks).
   */
  readonly unseen?: Readonly<Record<string, string>>;
  /** True of every scenario with `unseen`. */
  readonly isUnseen?: boolean;
  /** What is true and may be said although nothing is wrong, such as that a deadline comes near. */
  readonly notices?: readonly SymptomMatch[];
  /** Can be played with real files and processes. */
  readonly isLive?: boolean;
  readonly plan: (lab: Lab) => void;
}

interface Timed {
  readonly at: number;
  readonly act: () => void;
}

/** What a scenario has in hand while it is planned and played. */
export class Lab {
  readonly life: SessionLife;
  readonly faults: Fault[] = [];
  readonly startUnix: number;
  /** Called for every destructive intent that the agent sends. */
  onDestructive: (name: string) => void = () => {};
  #timed: Timed[] = [];
  readonly #everyTick: (() => void)[] = [];
  readonly #everyMinute: (() => void)[] = [];

  constructor(
    readonly world: LabWorld,
    readonly random: LabRandom,
    life: Partial<LifeOptions>,
  ) {
    this.startUnix = world.now;
    this.life = new SessionLife(world, { ...USUAL_LIFE, ...life });
  }

  /** Minutes since the start of the session. */
  get minute(): number {
    return (this.world.now - this.startUnix) / 60;
  }

  /** Does something at a minute of the session. */
  at(minute: number, act: () => void): void {
    this.#timed.push({ at: this.startUnix + minute * 60, act });
    this.#timed.sort((a, b) => a.at - b.at);
  }

  /** Does something between two minutes, every so many. */
  every(minutes: number, from: number, until: number, act: () => void): void {
    for (let at = from; at < until; at += minutes) this.at(at, act);
  }

  /** Right before our agent looks. */
  eachTick(act: () => void): void {
    this.#everyTick.push(act);
  }

  eachMinute(act: () => void): void {
    this.#everyMinute.push(act);
  }

  fault(plan: FaultPlan): void {
    this.faults.push({
      until: Number.POSITIVE_INFINITY,
      visibleAfter: 0,
      severity: 'medium',
      company: [],
      destructive: [],
      ...plan,
    });
  }

  /** Lets a minute pass. */
  step(): void {
    this.world.now += 60;
    this.life.minute();
    for (const act of this.#everyMinute) act();
    this.#due();
  }

  /** The turns before ours. */
  beforeTick(): void {
    this.#due();
    this.life.turn();
    for (const act of this.#everyTick) act();
  }

  #due(): void {
    while (this.#timed[0] !== undefined && this.#timed[0].at <= this.world.now) this.#timed.shift()?.act();
  }
}
