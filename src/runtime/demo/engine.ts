import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const START_LIMIT_MS = 5000;

/** Answers /health on the port it is told; a real process with a real command line, which ends by itself if forgotten. */
const SERVER = `#!/usr/bin/env node
const port = Number(process.argv[process.argv.indexOf('--port') + 1]);
require('node:http').createServer((request, response) => response.end('ok')).listen(port, '127.0.0.1');
setTimeout(() => process.exit(0), 120000);
`;

/** A stand-in for an inference server: a process named like one, owned by the session, that can be frozen and thawed. */
export class DemoEngine {
  #child: ChildProcess | undefined;

  constructor(
    private readonly binDir: string,
    private readonly workDir: string,
    readonly port: number,
  ) {}

  async start(): Promise<void> {
    mkdirSync(this.binDir, { recursive: true });
    mkdirSync(this.workDir, { recursive: true });
    const program = join(this.binDir, 'vllm');
    writeFileSync(program, SERVER);
    chmodSync(program, 0o755);
    const argv = [program, 'serve', 'Demo-MoE-30B', '--port', String(this.port)];
    this.#child = spawn(process.execPath, argv, { cwd: this.workDir, stdio: 'ignore' });
    const giveUpAt = performance.now() + START_LIMIT_MS;
    while (!(await this.#answers())) {
      if (performance.now() > giveUpAt)
        throw new Error(`the demo's server did not come up on port ${this.port}`);
      await delay(20);
    }
  }

  /** Stops the process without ending it: connections are accepted by the kernel and never answered. */
  freeze(): void {
    this.#child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
  }

  stop(): void {
    this.#child?.kill('SIGKILL');
  }

  #answers(): Promise<boolean> {
    return new Promise((resolve) => {
      get({ host: '127.0.0.1', port: this.port, path: '/health', timeout: 500 }, (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      }).on('error', () => resolve(false));
    });
  }
}
