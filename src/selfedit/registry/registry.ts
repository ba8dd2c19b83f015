import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, parseJson } from '../../foreign/json.js';
import { sha256 } from '../hash.js';
import { diffCounts } from '../prompt/line-diff.js';
import { appendAudit } from './audit-log.js';
import { createDurable, privateDirectory, replaceDurable } from './files.js';
import { takeLock } from './lock.js';
import { parseMeta } from './parse-meta.js';
import type { Pointer, VersionMeta } from './version-meta.js';

/** A prompt as it is in force. */
export interface CurrentPrompt {
  readonly version: number;
  readonly sha256: string;
  readonly text: string;
}

/** What a write came to. */
export type WriteOutcome =
  | { readonly ok: true; readonly version: number }
  | { readonly ok: false; readonly problem: 'stale_base' | 'locked' | 'damaged'; readonly detail: string };

/** The durable steps of a promotion in their order; told to `onStep` once each is on the disk. */
export type WriteStep = 'locked' | 'text' | 'meta' | 'pointer' | 'audit';

export interface RegistryOptions {
  /** `<state dir>/selfedit/registry/<prompt_id>`. */
  readonly directory: string;
  /** `<state dir>/selfedit/selfedit.lock`. */
  readonly lock: string;
  readonly now?: () => Date;
  readonly onStep?: (step: WriteStep) => void;
  readonly lockWaitMs?: number;
}

const MAX_TEXT = 32 * 1024;
const MAX_META = 256 * 1024;

/**
 * The versions of one prompt (spec 08 §22): `v<N>.md`, `v<N>.meta.json`, and `current.json`, the only pointer, replaced last.
 * Every change is compare-and-swap under the lock; readers need no lock, and check the hash.
 */
export class PromptRegistry {
  readonly #options: RegistryOptions;

  constructor(options: RegistryOptions) {
    this.#options = options;
  }

  get auditPath(): string {
    return join(this.#options.directory, 'audit.jsonl');
  }

  /** The pointer, or null when there is none or it cannot be used. */
  pointer(): Pointer | null {
    const text = readBounded(this.#path('current.json'), MAX_META);
    const json = text === null ? null : parseJson(text);
    if (!json?.ok || !isObject(json.value)) return null;
    const { version, sha256: hash, updated_at, previous_version, reason } = json.value;
    if (typeof version !== 'number' || !Number.isSafeInteger(version) || typeof hash !== 'string')
      return null;
    return {
      version,
      sha256: hash,
      updated_at: typeof updated_at === 'string' ? updated_at : '',
      previous_version: typeof previous_version === 'number' ? previous_version : null,
      reason: typeof reason === 'string' ? reason : '',
    };
  }

  /** The text in force; null when the registry has none or its hash differs. */
  current(): CurrentPrompt | null {
    const pointer = this.pointer();
    if (pointer === null) return null;
    const text = this.text(pointer.version);
    return text === null || sha256(text) !== pointer.sha256
      ? null
      : { version: pointer.version, sha256: pointer.sha256, text };
  }

  text(version: number): string | null {
    return readBounded(this.#path(`v${version}.md`), MAX_TEXT);
  }

  meta(version: number): VersionMeta | null {
    const text = readBounded(this.#path(`v${version}.meta.json`), MAX_META);
    return text === null ? null : parseMeta(text);
  }

  /** Numbers of all versions that have a text, ascending; some may never have been current. */
  versions(): number[] {
    if (!existsSync(this.#options.directory)) return [];
    return readdirSync(this.#options.directory)
      .flatMap((name) => {
        const match = /^v(\d{1,9})\.md$/.exec(name);
        return match ? [Number(match[1])] : [];
      })
      .sort((a, b) => a - b);
  }

  /** What is wrong with the files: missing or changed texts and metas, an unusable pointer. */
  problems(): string[] {
    const problems = this.versions().flatMap((version) => {
      const text = this.text(version);
      const meta = this.meta(version);
      if (meta === null) return [`v${version} has no usable meta; it was never current`];
      return text !== null && sha256(text) === meta.sha256_hash
        ? []
        : [`the text of v${version} was changed`];
    });
    if (existsSync(this.#options.directory) && this.current() === null) {
      problems.push('current.json is missing, or does not name a text with that hash');
    }
    return problems;
  }

  /** Writes version 1; an existing registry is left alone. */
  async initialise(text: string): Promise<WriteOutcome> {
    return this.#locked(() => {
      const pointer = this.pointer();
      if (pointer !== null) {
        return { ok: false, problem: 'stale_base', detail: `version ${pointer.version} is current` };
      }
      const hash = sha256(text);
      const version = this.#nextVersion();
      this.#write(
        version,
        text,
        { version, timestamp: this.#timestamp(), sha256_hash: hash },
        null,
        'initial',
      );
      return { ok: true, version };
    });
  }

  /** Makes a text the new current version, if `base` is still current (spec 08 §22). */
  async promote(
    base: Pick<CurrentPrompt, 'version' | 'sha256'>,
    text: string,
    about: Omit<
      VersionMeta,
      'version' | 'timestamp' | 'sha256_hash' | 'parent_version' | 'diff_from_previous'
    >,
  ): Promise<WriteOutcome> {
    return this.#locked(() => {
      const current = this.current();
      if (current === null) return damaged();
      if (current.version !== base.version || current.sha256 !== base.sha256) {
        const detail = `the edit was measured against version ${base.version}, but version ${current.version} is current`;
        return { ok: false, problem: 'stale_base', detail };
      }
      const version = this.#nextVersion();
      const meta: VersionMeta = {
        ...about,
        version,
        timestamp: this.#timestamp(),
        sha256_hash: sha256(text),
        parent_version: current.version,
        diff_from_previous: diffCounts(current.text, text),
      };
      this.#write(version, text, meta, current.version, about.hypothesis ?? 'promoted');
      return { ok: true, version };
    });
  }

  /**
   * Moves the pointer to an earlier version and says so in the audit; the text is checked first.
   *
   * @param from the version that is to be left, where somebody has judged it: another one is left alone
   */
  async rollback(target: number, reason: string, from?: number): Promise<WriteOutcome> {
    return this.#locked(() => {
      const pointer = this.pointer();
      if (from !== undefined && pointer?.version !== from) {
        const detail = `version ${pointer?.version ?? 0} is current, not ${from} any more`;
        return { ok: false, problem: 'stale_base', detail };
      }
      const text = this.text(target);
      const meta = this.meta(target);
      if (text === null || meta === null || sha256(text) !== meta.sha256_hash) {
        return { ok: false, problem: 'damaged', detail: `version ${target} is missing or was changed` };
      }
      if (pointer?.version === target) {
        return { ok: false, problem: 'stale_base', detail: `version ${target} is current already` };
      }
      this.#point({ version: target, sha256: meta.sha256_hash }, pointer?.version ?? null, reason);
      appendAudit(this.auditPath, {
        at: this.#timestamp(),
        event: 'rollback',
        from_version: pointer?.version ?? 0,
        to_version: target,
        reason,
      });
      this.#options.onStep?.('audit');
      return { ok: true, version: target };
    });
  }

  #write(version: number, text: string, meta: VersionMeta, previous: number | null, reason: string): void {
    createDurable(this.#path(`v${version}.md`), text);
    this.#options.onStep?.('text');
    createDurable(this.#path(`v${version}.meta.json`), `${JSON.stringify(sortedKeys(meta), null, 2)}\n`);
    this.#options.onStep?.('meta');
    this.#point({ version, sha256: meta.sha256_hash }, previous, reason);
  }

  #point(target: Pick<Pointer, 'version' | 'sha256'>, previous: number | null, reason: string): void {
    const pointer: Pointer = {
      ...target,
      updated_at: this.#timestamp(),
      previous_version: previous,
      reason: reason.slice(0, 500),
    };
    replaceDurable(this.#path('current.json'), `${JSON.stringify(pointer)}\n`);
    this.#options.onStep?.('pointer');
  }

  async #locked(work: () => WriteOutcome): Promise<WriteOutcome> {
    privateDirectory(this.#options.directory);
    const lock = await takeLock(this.#options.lock, { waitMs: this.#options.lockWaitMs ?? 5_000 });
    if (lock === null) {
      return { ok: false, problem: 'locked', detail: `another writer holds ${this.#options.lock}` };
    }
    try {
      this.#options.onStep?.('locked');
      return work();
    } finally {
      lock.release();
    }
  }

  /** Never a number that has a file: what a crash left behind is not overwritten. */
  #nextVersion(): number {
    return Math.max(0, ...this.versions()) + 1;
  }

  #timestamp(): string {
    const now = this.#options.now?.() ?? new Date();
    return now.toISOString().replace(/\.\d+Z$/, 'Z');
  }

  #path(name: string): string {
    return join(this.#options.directory, name);
  }
}

function damaged(): WriteOutcome {
  return { ok: false, problem: 'damaged', detail: 'the registry has no usable current version' };
}

function readBounded(path: string, maxBytes: number): string | null {
  try {
    const stat = statSync(path);
    return stat.isFile() && stat.size <= maxBytes ? readFileSync(path, 'utf8') : null;
  } catch {
    return null;
  }
}

function sortedKeys(meta: VersionMeta): Record<string, unknown> {
  return Object.fromEntries(Object.entries(meta).sort(([a], [b]) => (a < b ? -1 : 1)));
}
