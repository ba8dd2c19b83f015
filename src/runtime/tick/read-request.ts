import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { describeFailure } from '../../foreign/write-file.js';
import { parseRequest, type TickRequest } from '../../reactor/request/parse-request.js';
import type { CommandIo } from '../shared/command.js';
import { readAll } from '../shared/streams.js';
import { UserError } from '../shared/user-error.js';

const MAX_REQUEST_BYTES = 256 * 1024 * 1024;

/** @throws UserError `RA_REQUEST_…` */
export async function readTickRequest(path: string, io: CommandIo): Promise<TickRequest> {
  const reading = parseRequest(path === '-' ? await fromStdin(io) : fromFile(path));
  if (reading.ok) return reading.request;
  throw new UserError({ ...reading.refusal, todo: 'the Coordinator writes this file; see docs/contract.md' });
}

async function fromStdin(io: CommandIo): Promise<Uint8Array> {
  try {
    return await readAll(io.stdin, MAX_REQUEST_BYTES);
  } catch (error) {
    throw unreadable('standard input', error);
  }
}

function fromFile(path: string): Uint8Array {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, 'r');
    const { size } = fstatSync(descriptor);
    if (size > MAX_REQUEST_BYTES) throw new Error(`more than ${MAX_REQUEST_BYTES} bytes`);
    return readFileSync(descriptor);
  } catch (error) {
    throw unreadable(path, error);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function unreadable(what: string, error: unknown): UserError {
  return new UserError({
    code: 'RA_REQUEST_UNREADABLE',
    happened: `${what} cannot be read: ${describeFailure(error).message}`,
    expected: 'a readable request file',
    todo: 'check the path after --request',
  });
}
