import type { JsonObject } from '../../../src/foreign/json.js';
import type { CollectorName, CollectorStatus } from '../../../src/sources/snapshot.js';
import { LabRandom } from '../random.js';
import { freshCoordinator, healthyGpus, healthySlots } from './defaults.js';
import type {
  BusMessage,
  CoordinatorFacts,
  DirectSlots,
  KernelLine,
  LabGpu,
  LabLease,
  LabLog,
  LabProcess,
  LabServer,
  LabTask,
  RayAnswer,
  StateFile,
} from './types.js';

/** Where the sessions of fast runs pretend to lie. */
export const LAB_SESSION = '/srv/opt/ws/Granite-Delta-40B/20310405T060708Z-5e551011';

/**
 * The truth about a simulated session and its machine at one moment of a virtual clock. Scenarios change it; the fast mode
 * turns it into a snapshot and a prompt, the live mode into files, processes and servers.
 */
export class LabWorld {
  /** Unix s. */
  now: number;
  readonly bus: BusMessage[] = [];
  readonly tasks: LabTask[] = [];
  leases: LabLease[] = [];
  processes: LabProcess[] = [];
  servers: LabServer[] = [];
  gpus: LabGpu[];
  gpuTool = 'amd-smi';
  readonly logs = new Map<string, LabLog>();
  readonly coordinator: CoordinatorFacts;
  readonly state: StateFile;
  readonly slots: DirectSlots;
  /** Judge bundles, newest first, in wire shape. */
  judges: JsonObject[] = [];
  criticWorkdirs = 0;
  walBytes = 4_120_000;
  dbBytes = 18_350_080;
  agents: JsonObject = {};
  dbStatus: 'ok' | 'corrupt' | 'locked' | 'foreign' | 'missing' = 'ok';
  /** What SQLite says about it. */
  dbDetail = '';
  coordinatorProcess: JsonObject;
  /** Collectors that cannot look, and how that ends. */
  readonly blind = new Map<CollectorName, CollectorStatus>();
  /** What they say about it. */
  readonly blindDetails = new Map<CollectorName, string>();
  /** Request options of every tick that depend on where the session lies. */
  options: JsonObject = {};
  /** Null: Ray is not installed. */
  ray: RayAnswer | null = null;
  /** The log of the kernel, oldest first. */
  readonly kernel: KernelLine[] = [];
  #seq: number;
  /** Of their own, so that a message more or less changes nothing else in a session. */
  readonly #messageIds: LabRandom;
  #pid: number;
  /** Greatest number that an earlier prompt has shown. */
  shownSeq = 0;

  constructor(
    readonly random: LabRandom,
    startUnix: number,
    readonly sessionDir = LAB_SESSION,
    readonly sessionId = 'lab',
  ) {
    this.now = startUnix;
    this.#seq = 0;
    this.#messageIds = new LabRandom(random.whole(0, 0x7fffffff));
    this.#pid = random.whole(2000, 30000);
    this.coordinator = freshCoordinator(startUnix);
    this.gpus = healthyGpus(random);
    this.slots = healthySlots(this.sessionDir, startUnix);
    this.state = {
      valid: true,
      error: '',
      sizeBytes: random.whole(9_000, 60_000),
      previousSizeBytes: null,
      mtime: startUnix,
      stopReason: '',
      deadlineUnix: 0,
      tick: 1,
    };
    this.coordinatorProcess = {
      recorded_pid: this.newPid(),
      alive: true,
      pid_file: `${this.sessionDir}/runtime/optimizer.lock`,
      identity_source: 'caller',
      hostname: 'gpu-node',
      is_parent: true,
      started_unix: startUnix - 20,
    };
  }

  newPid(): number {
    this.#pid += this.random.whole(1, 40);
    return this.#pid;
  }

  /** Puts a message on the bus; `ago` in s. */
  tell(
    topic: string,
    payload: JsonObject,
    { from = 'coordinator', to = '*', ago = 0, inReplyTo = null as string | null } = {},
  ): BusMessage {
    this.#seq += 1;
    const at = this.now - ago;
    const message = {
      seq: this.#seq,
      msgId: this.#messageIds.hex(32),
      from,
      to,
      topic,
      inReplyTo,
      payload,
      at,
    };
    this.bus.push(message);
    return message;
  }

  startTask(kind: string, params: JsonObject, agent = 'orchestration'): LabTask {
    const id = this.random.hex(32);
    const task: LabTask = {
      id,
      kind,
      params,
      startedAt: this.now,
      state: 'running',
      agent,
      label: kind,
      progressAt: null,
    };
    this.tasks.push(task);
    this.tell('event', { kind: 'task_queued', task_id: id, source: agent, action: kind });
    return task;
  }

  finishTask(task: LabTask, state: 'succeeded' | 'failed', result: JsonObject, error: string | null): void {
    task.state = state;
    this.leases = this.leases.filter((lease) => lease.taskId !== task.id);
    this.tell('delegated_result', { task_id: task.id, kind: task.kind, state, result, error });
  }

  /** A task that is over in no time: what it was asked and what came of it. */
  result(
    kind: string,
    params: JsonObject,
    state: 'succeeded' | 'failed',
    { error = null as string | null, result = {} as JsonObject } = {},
  ): LabTask {
    const task = this.startTask(kind, params);
    this.finishTask(task, state, result, error);
    return task;
  }

  runningTasks(): LabTask[] {
    return this.tasks.filter(({ state }) => state === 'running');
  }

  /** Lines at the end of a log below the session. */
  log(name: string, ...lines: readonly string[]): void {
    let log = this.logs.get(name);
    if (log === undefined) {
      log = { name, lines: [], isServerLog: name.endsWith('server.log') };
      this.logs.set(name, log);
    }
    for (const text of lines) log.lines.push({ text, at: this.now });
  }

  /** The kernel of the machine writes to its log. */
  kernelSays(...lines: readonly string[]): void {
    for (const text of lines) this.kernel.push({ text, at: this.now });
  }

  /** The Coordinator rewrites its state file. */
  writeState(): void {
    const { state, coordinator } = this;
    state.previousSizeBytes = state.sizeBytes;
    state.sizeBytes += this.random.whole(40, 900);
    state.mtime = this.now;
    state.valid = true;
    state.error = '';
    state.stopReason = coordinator.stopReason;
    state.tick = coordinator.tick;
    state.deadlineUnix =
      coordinator.budgetMinutes > 0 ? coordinator.startedAt + coordinator.budgetMinutes * 60 : 0;
  }
}
