import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;

/** Creates a directory of ours, and its parents, for the owner alone (spec 08 §22). */
export function privateDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: DIRECTORY_MODE });
}

/** Writes a new file and its directory entry to the disk; an existing one is an error (`EEXIST`). */
export function createDurable(path: string, content: string): void {
  writeDurable(path, content, 'wx');
  syncDirectory(dirname(path));
}

/** Replaces a file in one step, on the disk before and after. */
export function replaceDurable(path: string, content: string): void {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
  writeDurable(temporary, content, 'w');
  renameSync(temporary, path);
  syncDirectory(dirname(path));
}

/** Appends one line by a single write. */
export function appendLine(path: string, line: string): void {
  const file = openSync(path, 'a', FILE_MODE);
  try {
    writeSync(file, `${line}\n`);
  } finally {
    closeSync(file);
  }
}

function writeDurable(path: string, content: string, flags: 'w' | 'wx'): void {
  const file = openSync(path, flags, FILE_MODE);
  try {
    const bytes = Buffer.from(content);
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function syncDirectory(path: string): void {
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
