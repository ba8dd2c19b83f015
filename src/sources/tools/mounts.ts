import { resolve } from 'node:path';
import { readPseudoFile } from './read-pseudo-file.js';

/** A line of `/proc/self/mountinfo`. */
export interface Mount {
  readonly mountPoint: string;
  readonly fsType: string;
  /** Options of the file system as a whole, separated by commas. */
  readonly superOptions: string;
  /** `major:minor`. */
  readonly device: string;
}

const MOUNTINFO_BYTES = 4 * 2 ** 20;
/** Beginnings of the names of file systems whose answers come from another machine or another process, and may never come. */
const REMOTE = [
  ...[
    'nfs',
    'cifs',
    'smb',
    'fuse',
    '9p',
    'afs',
    'ceph',
    'lustre',
    'gpfs',
    'beegfs',
    'glusterfs',
    'ocfs2',
    'gfs2',
  ],
  ...['orangefs', 'pvfs', 'wekafs', 'virtiofs', 'autofs', 'davfs', 'sshfs', 'vboxsf', 'panfs', 'quobyte'],
  ...['dax_fs', 'daxfs', 'hdfs'],
];

/** The mounts of this process, in the order in which they were made; `[]` where there is no such file. */
export function mountsOf(procRoot: string): Mount[] {
  const table = readPseudoFile(`${procRoot}/self/mountinfo`, MOUNTINFO_BYTES) ?? '';
  const mounts: Mount[] = [];
  for (const line of table.split('\n')) {
    const words = line.split(' ');
    // Up to seven optional fields end with a hyphen; blanks inside a field are escaped.
    const hyphen = words.indexOf('-', 6);
    const device = words[2];
    const mountPoint = words[4];
    const fsType = hyphen === -1 ? '' : (words[hyphen + 1] ?? '');
    if (device === undefined || mountPoint === undefined || fsType === '') continue;
    const superOptions = words[hyphen + 3] ?? '';
    mounts.push({ mountPoint: unescapeOctal(mountPoint), fsType, superOptions, device });
  }
  return mounts;
}

/** The mount that a path lies on, by its text alone, so that a dead mount is never touched. */
export function mountOf(path: string, mounts: readonly Mount[]): Mount | undefined {
  const absolute = resolve(path);
  let found: Mount | undefined;
  for (const mount of mounts) {
    if (!lies(absolute, mount.mountPoint)) continue;
    // A later mount on the same point hides the earlier one.
    if (found === undefined || mount.mountPoint.length >= found.mountPoint.length) found = mount;
  }
  return found;
}

/** The kernel writes mount points absolute and without detours. */
function lies(path: string, mountPoint: string): boolean {
  return path === mountPoint || mountPoint === '/' || path.startsWith(`${mountPoint}/`);
}

/** True when a look at this file system may never return. */
export function mayHang(mount: Mount): boolean {
  return REMOTE.some((name) => mount.fsType.startsWith(name));
}

/** Blanks and the like are written as octal escapes. */
function unescapeOctal(path: string): string {
  if (!path.includes('\\')) return path;
  return path.replace(/\\([0-7]{3})/g, (_match, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
