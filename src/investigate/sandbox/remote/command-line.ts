import { NOBODY } from '../bwrap-arguments.js';
import type { SandboxLimits } from '../limits.js';

/** Where things are put before they are laid out. */
export const ARCHIVE = '/tmp/robustness-tree.tgz';
export const INBOX = '/tmp/robustness-files';

/**
 * Lays out the tree and the files so that the command can read and not change them: they belong to root, and of the
 * working directory nobody may remove what belongs to another.
 */
export function layOutLine(fileNames: readonly string[], hasSource: boolean): string {
  return [
    'set -e',
    'mkdir -p /box',
    ...(hasSource
      ? ['mkdir -p /box/src', `tar -xzf ${ARCHIVE} --no-same-owner -C /box/src`, 'chmod 755 /box/src']
      : []),
    ...fileNames.map((name) => `install -m 644 ${quoted(`${INBOX}/${name}`)} ${quoted(`/box/${name}`)}`),
    `rm -rf ${ARCHIVE} ${INBOX}`,
    'chown 0:0 /box',
    'chmod 1777 /box',
  ].join('\n');
}

/** The command with its limits, as nobody, with no way to become somebody else (spec 07 B13). */
export function runLine(argv: readonly string[], limits: SandboxLimits): string {
  const words = [
    'prlimit',
    `--cpu=${limits.cpuS}`,
    `--as=${limits.memoryBytes}`,
    `--fsize=${limits.fileBytes}`,
    `--nofile=${limits.openFiles}`,
    `--nproc=${limits.processes}`,
    '--core=0',
    '--',
    'setpriv',
    `--reuid=${NOBODY}`,
    `--regid=${NOBODY}`,
    '--clear-groups',
    '--no-new-privs',
    '--inh-caps=-all',
    '--bounding-set=-all',
    '--',
    ...['env', '-i', 'PATH=/usr/local/bin:/usr/bin:/bin', 'HOME=/box', 'LANG=C.UTF-8'],
    ...argv,
  ];
  // The shell stays, so that a killed command gives 128 and the number of its signal.
  return `cd /box\n${words.map(quoted).join(' ')} </dev/null\nexit $?`;
}

/** A word that a shell takes as it is. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
