import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HealthAnswer } from '../world/types.js';

/** A real process named like a server, which tells on its output whether it listens; it ends with its parent. */
const PROGRAM = `#!/usr/bin/env node
const port = Number(process.argv[process.argv.indexOf('--port') + 1]);
let status = 200;
const server = require('node:http').createServer((request, response) => { response.statusCode = status; response.end('ok'); });
const say = (word) => process.stdout.write(word + '\\n');
server.on('error', (error) => { say('failed ' + error.code); process.exit(1); });
process.on('SIGHUP', () => { server.close(() => say('closed')); server.closeAllConnections(); });
process.on('SIGUSR2', () => server.listening ? say('listening') : server.listen(port, '127.0.0.1', () => say('listening')));
process.on('SIGWINCH', () => { status = status === 200 ? 500 : 200; say('listening'); });
process.stdin.on('end', () => process.exit(0)).resume();
say('started');
`;

/** A stand-in for an inference server that refuses, answers, fails or freezes as the world says. */
export class LiveEngine {
  readonly #child: ChildProcess;
  readonly #waiting: { word: string; done: () => void; failed: (error: Error) => void }[] = [];
  #answer: HealthAnswer = 'refused';

  private constructor(
    child: ChildProcess,
    private readonly port: number,
  ) {
    this.#child = child;
    child.stdout?.on('data', (chunk: Buffer) => this.#hear(chunk.toString()));
    child.on('exit', (code) => {
      for (const { failed } of this.#waiting.splice(0)) failed(new Error(`the server ended with ${code}`));
    });
  }

  /** Starts the process in its run directory and waits until it can be told what to do. */
  static async start(binDir: string, cwd: string, port: number): Promise<LiveEngine> {
    mkdirSync(binDir, { recursive: true });
    mkdirSync(cwd, { recursive: true });
    const program = join(binDir, 'vllm');
    writeFileSync(program, PROGRAM);
    chmodSync(program, 0o755);
    const argv = [program, 'serve', 'Granite-Delta-40B', '--port', String(port)];
    const child = spawn(process.execPath, argv, { cwd, stdio: ['pipe', 'pipe', 'ignore'] });
    const engine = new LiveEngine(child, port);
    await engine.#expect('started');
    return engine;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async become(answer: HealthAnswer): Promise<void> {
    if (answer === this.#answer) return;
    if (this.#answer === 'timeout') this.#child.kill('SIGCONT');
    if (this.#answer === 'http_500' || answer === 'http_500') await this.#tell('SIGWINCH', 'listening');
    if (answer === 'refused') await this.#tell('SIGHUP', 'closed');
    else await this.#tell('SIGUSR2', 'listening');
    if (answer === 'timeout') this.#child.kill('SIGSTOP');
    this.#answer = answer;
  }

  /** Resolves when the process is gone. */
  stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return Promise.resolve();
    return new Promise((resolve) => {
      this.#child.once('exit', () => resolve());
      this.#child.kill('SIGKILL');
    });
  }

  async #tell(signal: NodeJS.Signals, word: string): Promise<void> {
    const heard = this.#expect(word);
    this.#child.kill(signal);
    await heard;
  }

  #expect(word: string): Promise<void> {
    return new Promise((done, failed) => this.#waiting.push({ word, done, failed }));
  }

  #hear(text: string): void {
    for (const word of text.split('\n').filter((line) => line !== '')) {
      const first = this.#waiting.shift();
      if (first === undefined) continue;
      if (first.word === word) first.done();
      else first.failed(new Error(`the server on port ${this.port} said ${word} instead of ${first.word}`));
    }
  }
}
