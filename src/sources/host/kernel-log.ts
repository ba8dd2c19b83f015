import { closeSync, constants, openSync, readSync } from 'node:fs';
import { breathe } from '../tools/breathe.js';
import { findExecutable } from '../tools/find-executable.js';
import { runTool } from '../tools/run-tool.js';
import type { Stop } from '../tools/stop.js';
import type { KernelMessage } from './kernel-messages.js';

export type KernelLog =
  | { readonly ok: true; readonly messages: readonly KernelMessage[] }
  | { readonly ok: false; readonly permission: boolean; readonly detail: string };

/** One read gives one record; the kernel's own limit of a record is 8 KiB. */
const RECORD_BYTES = 8192;
const MAX_RECORDS = 32_768;
const RECORDS_PER_TURN = 256;
const DMESG_TIMEOUT_MS = 1500;

/** The kernel's messages, oldest first: from `/dev/kmsg`, or where that is missing from `dmesg`. */
export async function readKernelLog(
  devRoot: string,
  env: Readonly<Record<string, string | undefined>>,
  signal: Stop,
): Promise<KernelLog> {
  const direct = await readRing(`${devRoot}/kmsg`, signal);
  if (direct.ok) return direct;
  const executable = findExecutable('dmesg', env['PATH']);
  if (executable === null) return direct;
  const outcome = await runTool({ executable, args: ['--raw'], env, timeoutMs: DMESG_TIMEOUT_MS, signal });
  if (outcome.kind !== 'exited') return { ok: false, permission: false, detail: `dmesg: ${outcome.kind}` };
  if (outcome.code !== 0) return { ok: false, permission: true, detail: `dmesg: ${outcome.stderr.trim()}` };
  return { ok: true, messages: outcome.stdout.split('\n').flatMap((line) => parseRawLine(line) ?? []) };
}

async function readRing(path: string, signal: Stop): Promise<KernelLog> {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  } catch (error) {
    const code = codeOf(error);
    return { ok: false, permission: code === 'EACCES' || code === 'EPERM', detail: `${path}: ${code}` };
  }
  try {
    const messages: KernelMessage[] = [];
    const buffer = Buffer.allocUnsafe(RECORD_BYTES);
    for (let i = 0; i < MAX_RECORDS; i += 1) {
      if (i % RECORDS_PER_TURN === RECORDS_PER_TURN - 1) await breathe(signal);
      const record = readRecord(fd, buffer);
      if (record === 'end') break;
      if (record === 'overwritten') continue;
      const message = parseRecord(record);
      if (message !== undefined) messages.push(message);
    }
    return { ok: true, messages };
  } catch (error) {
    return { ok: false, permission: codeOf(error) === 'EPERM', detail: `${path}: ${codeOf(error)}` };
  } finally {
    closeSync(fd);
  }
}

function readRecord(fd: number, buffer: Buffer): string | 'end' | 'overwritten' {
  try {
    const count = readSync(fd, buffer, 0, buffer.length, null);
    return count === 0 ? 'end' : buffer.toString('utf8', 0, count);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EAGAIN') return 'end';
    // The ring has run over what we were about to read; the next read is at its oldest record.
    if (code === 'EPIPE') return 'overwritten';
    throw error;
  }
}

/** `priority,sequence,microseconds,flags;text`, then lines of a dictionary. */
export function parseRecord(record: string): KernelMessage | undefined {
  const found = /^\d+,\d+,(\d+),[^;]*;([^\n]*)/.exec(record);
  return found === null ? undefined : { uptime: Number(found[1]) / 1e6, text: found[2] ?? '' };
}

/** `<6>[   12.345678] text`, as `dmesg --raw` prints it. */
export function parseRawLine(line: string): KernelMessage | undefined {
  const found = /^(?:<\d{1,3}>)?\[\s*(\d+\.\d+)\]\s?(.*)$/.exec(line);
  return found === null ? undefined : { uptime: Number(found[1]), text: found[2] ?? '' };
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
