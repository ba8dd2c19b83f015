import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import type { CommandIo } from '../shared/command.js';
import { readAll } from '../shared/streams.js';
import { UserError } from '../shared/user-error.js';

const MAX_BYTES = 256 * 1024 * 1024;

/** The text of a file, or of standard input for `-`. @throws UserError `RA_SELFEDIT_INPUT` */
export async function readInput(file: string, io: CommandIo): Promise<string> {
  try {
    const stream = file === '-' ? io.stdin : createReadStream(resolve(io.cwd, file));
    return (await readAll(stream, MAX_BYTES)).toString();
  } catch (error) {
    throw new UserError({
      code: 'RA_SELFEDIT_INPUT',
      happened: `${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      todo: 'name a readable file, or - for standard input',
    });
  }
}
