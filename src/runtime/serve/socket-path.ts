import { chmodSync, lstatSync } from 'node:fs';
import { createConnection, type Server } from 'node:net';
import { describeFailure, removeFile } from '../../foreign/write-file.js';
import { UserError } from '../shared/user-error.js';

/**
 * Frees the path of a socket that nobody listens on any more, as a killed server leaves it behind.
 *
 * @throws UserError `RA_SERVE_SOCKET` when somebody listens there, or when it is no socket
 */
export async function dropStaleSocket(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket()) throw unusable(path, 'something else than a socket is there');
  if (await isAnswered(path)) throw unusable(path, 'another server listens there');
  removeFile(path);
}

/**
 * Listens on a path that only its owner may connect to, from the first moment on.
 *
 * @throws UserError `RA_SERVE_SOCKET`
 */
export async function listenPrivately(server: Server, path: string): Promise<void> {
  const mask = process.umask(0o177);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, () => {
        server.off('error', reject);
        resolve();
      });
      // The socket is made before `listen` returns.
      process.umask(mask);
    });
    chmodSync(path, 0o600);
  } catch (error) {
    throw unusable(path, describeFailure(error).message);
  } finally {
    process.umask(mask);
  }
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createConnection(path);
    const settle = (answered: boolean) => {
      probe.destroy();
      resolve(answered);
    };
    probe.once('connect', () => settle(true));
    probe.once('error', () => settle(false));
  });
}

function unusable(path: string, why: string): UserError {
  return new UserError({
    code: 'RA_SERVE_SOCKET',
    happened: `cannot listen on ${path}: ${why}`,
    expected: 'a free path of at most 107 bytes in an existing directory',
    todo: 'end the other server, or pass another --socket PATH',
  });
}
