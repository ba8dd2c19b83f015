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
/** File systems whose answers come from another machine or another process, and may never come. */
const REMOTE =
  /^(?:nfs|cifs|smb|fuse|9p|afs|ceph|lustre|gpfs|beegfs|glusterfs|ocfs2|gfs2|orangefs|pvfs|wekafs|virtiofs|autofs|davfs|sshfs|vboxsf|panfs|quobyte|dax_?fs|hdfs)/;

/** The mounts of this process, in the order in which they were made; `[]` where there is no such file. */
export function mountsOf(procRoot: string): Mount[] {
  const table = readPseudoFile(`${procRoot}/self/mountinfo`, MOUNTINFO_BYTES) ?? '';
  return table.split('\n').flatMap((line) => {
    const [head = '', tail = ''] = line.split(' - ', 2);
    const [, , device, , mountPoint] = head.split(' ');
    const [fsType, , superOptions = ''] = tail.split(' ');
    if (device === undefined || mountPoint === undefined || fsType === undefined || fsType === '') return [];
    return [{ mountPoint: unescapeOctal(mountPoint), fsType, superOptions, device }];
  });
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
  return REMOTE.test(mount.fsType);
}

/** Blanks and the like are written as octal escapes. */
function unescapeOctal(path: string): string {
  if (!path.includes('\\')) return path;
  return path.replace(/\\([0-7]{3})/g, (_match, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}
