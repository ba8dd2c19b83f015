import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Does nothing until its parent is gone. */
const PROGRAM = `process.stdin.on('end', () => process.exit(0)).resume();
process.stdout.write('started');
`;

/** A real process of the session that serves nothing, with the command line that the world gives it. */
export class LiveClient {
  private constructor(private readonly child: ChildProcess) {}

  /** Starts `python3 SCRIPT ARGUMENTS` as a script of that name; resolves when it runs. */
  static start(binDir: string, command: string, cwd: string): Promise<LiveClient> {
    const [, script = 'script.py', ...args] = command.split(' ');
    const program = join(binDir, script);
    mkdirSync(cwd, { recursive: true });
    writeFileSync(program, PROGRAM);
    const child = spawn(process.execPath, [program, ...args], { cwd, stdio: ['pipe', 'pipe', 'ignore'] });
    return new Promise((resolve, failed) => {
      child.once('error', failed);
      child.once('exit', (code) => failed(new Error(`${script} ended with ${code}`)));
      child.stdout?.once('data', () => resolve(new LiveClient(child)));
    });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Resolves when the process is gone. */
  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.child.once('exit', () => resolve());
      this.child.kill('SIGKILL');
    });
  }
}
