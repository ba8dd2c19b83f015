import type { Sandbox } from 'e2b';
import { describeFailure } from '../../../foreign/write-file.js';
import type { Secret } from '../../safety/redactor.js';
import { type BoxCommand, type BoxRun, type DriverReading, failedRun, refusedRun } from '../box.js';
import { SANDBOX_LIMITS, type SandboxLimits } from '../limits.js';
import { execute, layOut, stopped } from './in-box.js';
import { type Packed, packTree } from './pack-tree.js';
import type { Sdk } from './sdk.js';
import { forgetBox, type RemoteBox, watchBox } from './sweep.js';

export interface E2bOptions {
  readonly apiKey: Secret;
  /** Addresses in place of the service's own. */
  readonly connection?: { readonly apiUrl: string; readonly sandboxUrl: string };
  readonly limits?: SandboxLimits;
}

/** How long a sandbox lives when nobody ends it (spec 07 B13). */
const LIFE_MS = 300_000;
const CREATE_MS = 30_000;
const KILL_MS = 5000;

/** The sandboxes of E2B, if their package is there; nothing is started yet (spec 07 B13). */
export async function openE2b(options: E2bOptions): Promise<DriverReading> {
  try {
    const remote = new Remote(await import('e2b'), options);
    return { ok: true, driver: { name: 'e2b', run: (command) => remote.run(command) } };
  } catch (error) {
    const { code } = describeFailure(error);
    return { ok: false, reason: `the package e2b cannot be loaded (${code}); npm install e2b brings it` };
  }
}

class Remote {
  /** One tree is run many times. */
  #packed: { readonly source: string; readonly archive: Promise<Packed> } | null = null;

  constructor(
    private readonly sdk: Sdk,
    private readonly options: E2bOptions,
  ) {}

  async run(command: BoxCommand): Promise<BoxRun> {
    const refused = refusedRun(command);
    if (refused !== null) return refused;
    const wall = AbortSignal.timeout(command.wallMs);
    const signal = AbortSignal.any([command.signal, wall]);
    const archive = command.source === null ? null : await this.#archive(command.source, command.signal);
    if (archive?.ok === false) return failedRun(archive.problem);
    try {
      return await this.#runIn(command, archive?.bytes ?? null, signal);
    } catch (error) {
      if (signal.aborted) return stopped(command.signal.aborted ? 'aborted' : 'wall');
      return failedRun(problemOf(error));
    }
  }

  /** One command in a sandbox of its own, which is ended whatever happens. */
  async #runIn(command: BoxCommand, archive: Buffer | null, signal: AbortSignal): Promise<BoxRun> {
    const creating = this.#create();
    let box: Watched;
    try {
      box = await unlessAborted(creating, signal);
    } catch (error) {
      // It may come into being when nobody waits for it any more.
      void creating.then(endBox).catch(() => undefined);
      throw error;
    }
    try {
      await layOut(box.sandbox, Object.entries(command.files), archive, signal);
      const limits = this.options.limits ?? SANDBOX_LIMITS;
      return await execute(this.sdk, box.sandbox, { command, limits, signal });
    } finally {
      await endBox(box);
    }
  }

  async #create(): Promise<Watched> {
    const { apiKey, connection } = this.options;
    const key = apiKey.reveal();
    const sandbox = await this.sdk.Sandbox.create({
      apiKey: key,
      timeoutMs: LIFE_MS,
      requestTimeoutMs: CREATE_MS,
      allowInternetAccess: false,
      ...connection,
    });
    const { apiUrl } = new this.sdk.ConnectionConfig({ apiKey: key, ...connection });
    const entry = { apiUrl, key, id: sandbox.sandboxId };
    watchBox(entry);
    return { sandbox, entry };
  }

  async #archive(source: string, signal: AbortSignal): Promise<Packed> {
    if (this.#packed?.source !== source) this.#packed = { source, archive: packTree(source, signal) };
    const packed = await this.#packed.archive;
    if (!packed.ok) this.#packed = null;
    return packed;
  }
}

interface Watched {
  readonly sandbox: Sandbox;
  readonly entry: RemoteBox;
}

/** One that cannot be ended stays watched, and ends with the process or by its own age. */
async function endBox({ sandbox, entry }: Watched): Promise<void> {
  try {
    await sandbox.kill({ requestTimeoutMs: KILL_MS });
    forgetBox(entry);
  } catch {
    // The sweep at the end of the process tries once more.
  }
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(new Error('no time is left'));
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return 'E2B: unknown failure';
  return `E2B: ${error.name}: ${error.message}`.slice(0, 200);
}
