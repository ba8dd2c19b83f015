import { closeSync } from 'node:fs';
import { readRange } from '../../sources/tools/read-file.js';
import { openConfined } from '../safety/confine.js';
import { linesOf } from '../tools/slice.js';
import type { BoxRun, SandboxDriver } from './box.js';

export interface WorkshopOptions {
  readonly driver: SandboxDriver;
  /** The prepared tree, absolute and resolved, and its files. */
  readonly source: string;
  readonly sourceFiles: readonly string[];
  /** For all runs together. */
  readonly wallMs: number;
  readonly signal: AbortSignal;
}

const MAX_SOURCE_BYTES = 1024 * 1024;
const MAX_FILES = 16;
const MAX_FILE_BYTES = 32 * 1024;
const FILE_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/;

/** A prepared tree, scratch files and a bounded time in which commands may run on them. */
export class Workshop {
  readonly sourceFiles: readonly string[];
  readonly #files = new Map<string, string>();
  readonly #sources = new Map<string, readonly string[] | string>();
  #leftMs: number;
  #runs = 0;

  constructor(private readonly options: WorkshopOptions) {
    this.sourceFiles = options.sourceFiles;
    this.#leftMs = options.wallMs;
  }

  /** Commands run so far. */
  get runs(): number {
    return this.#runs;
  }

  /** Keeps a file for the working directory of every later run; gives why it cannot. */
  write(name: string, content: string): string | null {
    if (!FILE_NAME.test(name) || name === 'src')
      return 'a name has letters, digits, dots, hyphens, and no directory';
    if (Buffer.byteLength(content) > MAX_FILE_BYTES) return `a file has at most ${MAX_FILE_BYTES} bytes`;
    if (!this.#files.has(name) && this.#files.size >= MAX_FILES)
      return `there are at most ${MAX_FILES} files`;
    this.#files.set(name, content);
    return null;
  }

  file(name: string): string | null {
    return this.#files.get(name) ?? null;
  }

  /** Contents of all files, which may use each other. */
  contents(): readonly string[] {
    return [...this.#files.values()];
  }

  /** Runs a command on a fresh copy of everything. */
  async run(argv: readonly string[], timeoutMs: number): Promise<BoxRun> {
    const begun = performance.now();
    this.#runs += 1;
    const run = await this.options.driver.run({
      argv,
      files: Object.fromEntries(this.#files),
      source: this.options.source,
      wallMs: Math.min(timeoutMs, this.#leftMs),
      signal: this.options.signal,
    });
    this.#leftMs = Math.max(0, this.#leftMs - (performance.now() - begun));
    return run;
  }

  /** Lines of a file of the tree, or why there are none. */
  sourceLines(path: string): readonly string[] | string {
    const known = this.#sources.get(path) ?? this.#read(path);
    this.#sources.set(path, known);
    return known;
  }

  hasLine(path: string, line: number): boolean {
    const lines = this.sourceLines(path);
    return typeof lines !== 'string' && (lines[line - 1] ?? '').trim() !== '';
  }

  #read(path: string): readonly string[] | string {
    const opened = openConfined(this.options.source, path);
    if (!opened.ok) return opened.reason;
    try {
      if (opened.size > MAX_SOURCE_BYTES) return `${opened.size} bytes, limit ${MAX_SOURCE_BYTES}`;
      return linesOf(readRange(opened.fd, 0, opened.size).toString('utf8'));
    } finally {
      closeSync(opened.fd);
    }
  }
}
