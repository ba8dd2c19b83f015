import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export interface PageFile {
  /** Path of the URL. */
  readonly path: string;
  readonly type: string;
  readonly body: Buffer;
}

/** The files of the page; they lie beside this folder in the sources and beside the bundles in an installation. */
export function readPageFiles(directory = new URL('../page/', import.meta.url)): PageFile[] {
  return readdirSync(directory).flatMap((name) => {
    const type = TYPES[extname(name)];
    if (type === undefined) return [];
    const path = name === 'index.html' ? '/' : `/${name}`;
    return [{ path, type, body: readFileSync(new URL(name, directory)) }];
  });
}
