import type { JsonObject } from '../../../src/foreign/json.js';
import type { LabTask } from '../world/types.js';
import type { LabWorld } from '../world/world.js';
import { type EngineKind, LabEngine } from './serving.js';
import { nextWork, type WorkPlan } from './work.js';

export interface LifeOptions {
  /** `coordinator`: ticks wait for blocking actions (spec 01 §1.1); `steady`: something ticks all the time. */
  readonly cadence: 'coordinator' | 'steady';
  /** Minutes between ticks while nothing blocks. */
  readonly pause: readonly [number, number];
  readonly budgetMinutes: number;
  readonly engine: EngineKind;
  /** Minutes that the first and later servers load. */
  readonly firstLoad: readonly [number, number];
  readonly laterLoad: readonly [number, number];
  /** Share of explored variants that bring something. */
  readonly luck: number;
  /** Begins with a baseline measured and this phase. */
  readonly phase: string;
}

export const USUAL_LIFE: LifeOptions = {
  cadence: 'coordinator',
  pause: [1, 4],
  budgetMinutes: 1440,
  engine: 'sglang',
  firstLoad: [6, 22],
  laterLoad: [3, 9],
  luck: 0.5,
  phase: 'PRELUDE',
};

interface Job {
  readonly task: LabTask;
  readonly plan: WorkPlan;
  endsAt: number;
}

/** How a task ends: an error text, or null for success. */
export type Verdict = (task: LabTask) => string | null;

/** The ordinary course of a session; scenarios switch parts of it off or make them fail. */
export class SessionLife {
  readonly speaks = { orchestration: true, critic: true };
  /** New work is proposed. */
  proposes = true;
  /** Running tasks leave progress notes. */
  notes = true;
  /** Verdict on tasks that end. */
  verdict: Verdict = () => null;
  /** A server outlives its task and is used again. */
  reusesServer = false;
  engine: LabEngine | null = null;
  job: Job | null = null;
  /** The Coordinator writes its state file. */
  writesState = true;
  onFinish: ((task: LabTask) => void) | null = null;
  #serial = 0;
  #port: number;
  #signature = '';
  #pending: WorkPlan | null = null;

  constructor(
    readonly world: LabWorld,
    readonly options: LifeOptions,
  ) {
    const { coordinator, random } = world;
    // Below the ports that a machine gives to whoever calls out, so that a live server finds its own free.
    this.#port = random.whole(20_000, 31_000);
    coordinator.budgetMinutes = options.budgetMinutes;
    coordinator.phase = options.phase;
    if (options.phase !== 'PRELUDE') this.#hasBaseline();
    this.#enter(options.phase);
    world.tell('observation', { kind: 'resume_consistency', skipped: false, fixes: [], warnings: [] });
    world.writeState();
  }

  /** Turns of orchestration and critic, and what the Coordinator counts before ours. */
  turn(): void {
    const { world } = this;
    const { coordinator, random } = world;
    coordinator.tick += 1;
    const isIdle = this.job === null && this.#pending === null;
    if (this.speaks.orchestration && isIdle && this.proposes) this.#propose();
    else if (this.speaks.orchestration) this.#heartbeat('orchestration', random.whole(20, 70));
    if (this.speaks.critic && !isIdle && random.chance(0.5)) this.#heartbeat('critic', random.whole(5, 19));
    this.#countProgress();
    if (this.writesState && random.chance(0.7)) world.writeState();
  }

  /** The dispatcher, after all turns. */
  pump(): void {
    if (this.#pending === null) return;
    this.begin(this.#pending);
    this.#pending = null;
  }

  begin(plan: WorkPlan): LabTask {
    const { world } = this;
    const task = world.startTask(plan.kind, plan.params);
    const directory = `runs/${plan.kind}/${task.id.slice(0, 12)}`;
    const minutes = plan.serves ? this.#serve(directory, plan.kind) + plan.minutes : plan.minutes;
    this.job = { task, plan, endsAt: world.now + minutes * 60 };
    world.coordinator.currentAction = plan.isAsync ? '(idle)' : plan.kind;
    const lanes = plan.serves
      ? ['benchmark_lane', 'gpu_research_lane', 'profile_lane', 'server_lifecycle']
      : ['research_lane'];
    const pid = Number(world.coordinatorProcess['recorded_pid']);
    world.leases.push({
      taskId: task.id,
      holder: `holder-${task.id.slice(0, 6)}`,
      action: plan.kind,
      lanes,
      pid,
      alive: true,
      acquiredAt: world.now,
      expiresAt: world.now + 4 * 3600,
    });
    if (this.engine !== null && plan.serves) {
      const running = world.random.whole(24, 96);
      this.engine.load = {
        running,
        waiting: world.random.whole(0, 40),
        tokensPerS: world.random.between(900, 4800),
      };
    }
    return task;
  }

  /** Unix s of the next turn when nothing blocks. */
  pauseUntil(): number {
    return this.world.now + this.world.random.between(...this.options.pause) * 60;
  }

  /** Unix s until which the running action keeps the tick loop waiting; 0 when nothing does (spec 01 §1.1). */
  blocksUntil(): number {
    const { options, job } = this;
    return options.cadence === 'coordinator' && job !== null && !job.plan.isAsync ? job.endsAt + 20 : 0;
  }

  /** Nothing runs and nothing is started any more. */
  halt(): void {
    if (this.job !== null) this.finish();
    this.#pending = null;
    this.proposes = false;
  }

  minute(): void {
    this.engine?.minute();
    this.#work();
    this.#advancePhase();
  }

  #work(): void {
    const { world, job, engine } = this;
    if (job === null) return;
    if (this.notes) job.task.progressAt = world.now - world.random.whole(0, 50);
    if (engine !== null && job.plan.serves && !engine.isReady)
      job.endsAt = Math.max(job.endsAt, engine.readyAt + 300);
    if (world.now >= job.endsAt) this.finish();
  }

  finish(): void {
    const { world, job } = this;
    if (job === null) return;
    this.job = null;
    world.coordinator.currentAction = '(idle)';
    const error = this.verdict(job.task);
    world.finishTask(job.task, error === null ? 'succeeded' : 'failed', {}, error);
    if (error === null) this.#harvest(job.task.kind, job.task.params);
    if (this.engine !== null) this.engine.load = null;
    if (!this.reusesServer) this.stopServer();
    if (this.writesState) world.writeState();
    this.onFinish?.(job.task);
  }

  stopServer(options: { leaks?: boolean } = {}): void {
    this.engine?.stop(options);
    this.engine = null;
  }

  /** A server that loads so long; returns the minutes. */
  #serve(directory: string, kind: string): number {
    if (this.engine !== null) return 0;
    const { world, options } = this;
    const isFirst = kind === 'baseline' && world.coordinator.baselineTput === 0;
    const minutes = world.random.between(...(isFirst ? options.firstLoad : options.laterLoad));
    this.#port += world.random.whole(1, 50);
    this.engine = new LabEngine(world, options.engine, directory, this.#port, minutes);
    return minutes;
  }

  #propose(): void {
    const { world } = this;
    const { random } = world;
    const plan = nextWork(world.coordinator.phase, this.#serial, random);
    this.#serial += 1;
    const payload = {
      action_name: plan.kind,
      params: plan.params,
      idempotency_key: random.hex(16),
      needs_review: true,
    };
    const proposal = world.tell('proposal', payload, { from: 'orchestration', ago: random.whole(40, 70) });
    if (!this.speaks.critic) return;
    this.#review(proposal.msgId);
    world.tell('decision', {
      kind: 'approved_proposal',
      action_name: plan.kind,
      from_agent: 'orchestration',
      proposal_msg_id: proposal.msgId,
    });
    this.#pending = plan;
  }

  #review(target: string): void {
    const { world } = this;
    const verdict = { target_proposal_msg_id: target, verdict: 'approve', reasoning: 'plan fits the budget' };
    world.tell('review_verdict', verdict, {
      from: 'critic',
      to: 'orchestration',
      ago: world.random.whole(5, 30),
      inReplyTo: target,
    });
    world.criticWorkdirs = Math.min(50, world.criticWorkdirs + 1);
    const bundle: JsonObject = {
      turn_dir: String(world.coordinator.tick).padStart(6, '0'),
      kb_read_skipped_reason: null,
      required_context: [],
      proposal_count: 1,
      mtime: world.now - 20,
      emit_source: 'critic',
    };
    world.judges = [bundle, ...world.judges].slice(0, 50);
  }

  #heartbeat(agent: string, ago: number): void {
    this.world.tell('heartbeat', { topic: 'heartbeat', body_md: 'idle turn' }, { from: agent, ago });
  }

  #harvest(kind: string, params: JsonObject): void {
    const { world, options } = this;
    const { coordinator, random } = world;
    if (kind === 'baseline' && coordinator.baselineTput === 0) {
      this.#hasBaseline();
      this.#enter('EXPLORE');
    }
    if (kind === 'kernel_opt') coordinator.kernelAttempts += 1;
    if (kind === 'explore') coordinator.lastExplore = 'status=succeeded decision=tested';
    const finds = (kind === 'explore' || kind === 'integrate') && random.chance(options.luck);
    if (!finds) return;
    coordinator.gainPct += random.between(0.9, 4.2);
    coordinator.stack.push(`${kind}:${String(params['kernel_id'] ?? `v${coordinator.stack.length}`)}`);
  }

  #hasBaseline(): void {
    this.world.coordinator.baselineTput = Math.round(this.world.random.between(1200, 5200) * 10) / 10;
  }

  #enter(phase: string): void {
    const { coordinator } = this.world;
    coordinator.phase = phase;
    if (coordinator.phases.some((row) => row.phase === phase)) return;
    const share = { EXPLORE: 0.35, KERNEL_AGENT: 0.35, SWEEP: 0.1 }[phase];
    const capS =
      share === undefined || coordinator.budgetMinutes === 0 ? -1 : share * coordinator.budgetMinutes * 60;
    coordinator.phases.push({ phase, elapsedS: 0, capS });
  }

  #advancePhase(): void {
    const { coordinator } = this.world;
    const row = coordinator.phases.find(({ phase }) => phase === coordinator.phase);
    if (row === undefined) return;
    row.elapsedS += 60;
    const limit = row.capS > 0 ? row.capS * 0.78 : 3 * 3600;
    if (row.elapsedS < limit || this.job !== null) return;
    if (coordinator.phase === 'EXPLORE') this.#enter('KERNEL_AGENT');
    else if (coordinator.phase === 'KERNEL_AGENT') this.#enter('SWEEP');
  }

  /** The Coordinator's own no-progress counter (spec 02 §7). */
  #countProgress(): void {
    const { coordinator } = this.world;
    const { phase, gainPct, stack, baselineTput } = coordinator;
    const signature = `${phase}|${gainPct}|${stack.length}|${baselineTput}`;
    if (signature !== this.#signature) coordinator.lastProgressTick = coordinator.tick;
    this.#signature = signature;
    coordinator.ticksWithoutProgress = coordinator.tick - coordinator.lastProgressTick;
  }
}
