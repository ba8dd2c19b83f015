import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cannotRun, python, reading, run } from './bwrap-support.js';

describe.skipIf(!reading.ok)(`bubblewrap${cannotRun}`, () => {
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'sandbox-test-'));
    chmodSync(directory, 0o755);
  });

  afterEach(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  it('gives streams and exit status of a command', async () => {
    const ran = await python('import sys; print("out"); print("err", file=sys.stderr); sys.exit(7)');
    expect(ran).toEqual({ stdout: 'out\n', stderr: 'err\n', ended: 'exit', exit: 7 });
  });

  it('is nobody, without capabilities, on a host of another name', async () => {
    const code =
      'import os,re,socket; print(os.getuid(), os.getgid(), socket.gethostname(), re.search(r"CapEff:\\s*(\\w+)", open("/proc/self/status").read())[1])';
    expect((await python(code)).stdout).toBe('65534 65534 sandbox 0000000000000000\n');
  });

  it('passes no variable of ours', async () => {
    const code = 'import os; print(sorted(k for k in os.environ if k != "LC_CTYPE"))';
    expect((await python(code)).stdout).toBe("['HOME', 'LANG', 'PATH', 'PWD']\n");
  });

  it('reaches no server, not even on loopback', async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const code = `
import socket
for host, port in (("127.0.0.1", ${port}), ("::1", ${port}), ("192.0.2.1", 80)):
    try:
        socket.create_connection((host, port), 2).close()
        print("connected")
    except OSError as error:
        print(type(error).__name__)
`;
    const { stdout } = await python(code);
    await new Promise((done) => server.close(done));
    expect(stdout).not.toContain('connected');
    expect(stdout.trim().split('\n')).toHaveLength(3);
    expect(connections).toBe(0);
  });

  it('sees no file but the tools of the system and the tree handed in', async () => {
    const tree = join(directory, 'tree');
    mkdirSync(tree);
    writeFileSync(join(tree, 'shown.txt'), 'shown');
    writeFileSync(join(directory, 'canary.txt'), 'canary');
    const hidden = [
      join(directory, 'canary.txt'),
      ...['/etc/passwd', '/root', '/home', '/var', '/run', '/box/src/../../canary.txt'],
    ];
    const code = `
import os
print(sorted(os.listdir("/")))
for path in ${JSON.stringify(hidden)}:
    print(os.path.exists(path))
print(open("/box/src/shown.txt").read())
`;
    const { stdout, stderr } = await python(code, { source: tree });
    expect(stderr).toBe('');
    expect(stdout.trim().split('\n')).toEqual([
      "['bin', 'box', 'dev', 'lib', 'lib64', 'proc', 'sbin', 'tmp', 'usr']",
      ...Array(7).fill('False'),
      'shown',
    ]);
  });

  it('shows no process but its own', async () => {
    const code = 'import os; print([p for p in os.listdir("/proc") if p.isdigit()])';
    const pids: string[] = JSON.parse((await python(code)).stdout.replaceAll("'", '"'));
    expect(pids.length).toBeLessThanOrEqual(2);
  });

  it('cannot write into the tree, nor into the system', async () => {
    const code = `
for path in ("/box/src/new", "/usr/new", "/new", "/dev/new"):
    try:
        open(path, "w"); print("written", path)
    except OSError as error:
        print(error.strerror)
`;
    const { stdout } = await python(code, { source: directory });
    expect(stdout).not.toContain('written');
    expect(readdirSync(directory)).toEqual([]);
  });

  it('makes no further user namespace', async () => {
    const ran = await run(['unshare', '-U', 'id']);
    expect(ran).toMatchObject({ ended: 'exit', exit: 1 });
  });

  it('refuses a memory hog', async () => {
    const ran = await python('x = bytearray(2 << 30)');
    expect(ran.exit).toBe(1);
    expect(ran.stderr).toContain('MemoryError');
  });

  it('refuses large files', async () => {
    const large = await python('open("/box/big", "wb").write(bytes(500 << 20))');
    expect(large).toMatchObject({ ended: 'exit' });
    expect(large.exit).not.toBe(0);
  });

  it.each(['/box', '/tmp', '/dev/shm'])('bounds what can be kept in %s', async (folder) => {
    const code = `
for i in range(12):
    try:
        open(f"${folder}/f{i}", "wb").write(bytes(15 << 20))
    except OSError as error:
        print(error.strerror)
        break
`;
    expect((await python(code)).stdout).toBe('No space left on device\n');
  });

  it('refuses a fork bomb', async () => {
    const code = `
import os, time
made = 0
try:
    for _ in range(500):
        if os.fork() == 0:
            time.sleep(30)
            os._exit(0)
        made += 1
except OSError as error:
    print(made < 64, error.strerror)
`;
    const ran = await python(code);
    expect(ran.stdout).toBe('True Resource temporarily unavailable\n');
    expect(ran).toMatchObject({ ended: 'exit', exit: 0 });
  });

  it('ends whoever says too much, and keeps the beginning', async () => {
    const ran = await python('while True: print("x" * 999)');
    expect(ran).toMatchObject({ ended: 'output', exit: null });
    expect(ran.stdout.length).toBe(256 * 1024);
  });

  it('ends whoever sleeps past the wall, with all its children, at once', async () => {
    const marker = `wall-${randomUUID()}`;
    const code = `
import os, time
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        break
print("ready", flush=True)
time.sleep(600)
`;
    const ran = await run(['python3', 'main.py', marker], { files: { 'main.py': code }, wallMs: 1500 });
    expect(ran).toMatchObject({ ended: 'wall', exit: null });
    expect(ran.stdout).toContain('ready');
    await expect.poll(() => processesWith(marker), { timeout: 4000 }).toEqual([]);
  });

  it('leaves no background process behind when its command ends', async () => {
    const marker = `left-${randomUUID()}`;
    const code = `
import os, time, sys
if os.fork() == 0:
    os.setsid(); os.close(1); os.close(2); time.sleep(600)
`;
    const ran = await run(['python3', 'main.py', marker], { files: { 'main.py': code } });
    expect(ran).toMatchObject({ ended: 'exit', exit: 0 });
    await expect.poll(() => processesWith(marker), { timeout: 4000 }).toEqual([]);
  });

  it('ends when nobody waits any more', async () => {
    const abort = new AbortController();
    const running = python('import time; time.sleep(600)', { signal: abort.signal });
    abort.abort();
    expect(await running).toMatchObject({ ended: 'aborted' });
  });

  it.each(['../x', 'a/b', '', '-x', 'src', `${'n'.repeat(80)}`])('refuses the file name %j', async (name) => {
    expect(await run(['true'], { files: { [name]: '' } })).toMatchObject({ ended: 'failed' });
  });

  it('hands in files of the largest allowed size', async () => {
    const ran = await python('print(len(open("data").read()))', { files: { data: 'x'.repeat(32 * 1024) } });
    expect(ran.stdout).toBe('32768\n');
  });
});

/** Host processes whose command line holds a text. */
function processesWith(marker: string): string[] {
  return readdirSync('/proc').filter((entry) => {
    if (!/^\d+$/.test(entry)) return false;
    try {
      return readFileSync(`/proc/${entry}/cmdline`, 'utf8').includes(marker);
    } catch {
      return false;
    }
  });
}
