import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join, relative } from 'node:path';
import { listOr, objectOr, parseJson } from '../../foreign/json.js';

/** Files of the program whose names are cut short. */
const SHORTENED = /^tick\.(?:[a-z-]+\.)?js$/;

/**
 * From now on a stack trace names files and lines of the source instead of the bundle's, whose names are cut short so that
 * it starts sooner. The map beside a bundle is read when the first stack is looked at, which a tick without a bug never
 * does; without the map the places stay those of the bundle.
 *
 * @param directory of the built program
 */
export function namePlaces(directory: string): void {
  const maps = new Map<string, SourceMap | undefined>();
  const mapFor = (file: string) => {
    if (!maps.has(file)) maps.set(file, mapOf(join(directory, `${file}.map`)));
    return maps.get(file);
  };
  Error.prepareStackTrace = (error, sites) =>
    `${error}${sites.map((site) => `\n    at ${placeIn(directory, mapFor, site)}`).join('')}`;
}

function placeIn(
  directory: string,
  mapFor: (file: string) => SourceMap | undefined,
  site: NodeJS.CallSite,
): string {
  const [file, line, column] = [site.getFileName() ?? '', site.getLineNumber(), site.getColumnNumber()];
  if (!SHORTENED.test(file) || line === null || column === null) return String(site);
  const found = mapFor(file)?.findEntry(line - 1, column - 1);
  if (found === undefined || !('originalSource' in found)) return String(site);
  const source = relative(join(directory, '..'), join(directory, found.originalSource));
  return `${source}:${found.originalLine + 1}:${found.originalColumn + 1}`;
}

function mapOf(path: string): SourceMap | undefined {
  try {
    const map = parseJson(readFileSync(path, 'utf8'));
    const { sources, mappings } = objectOr(map.ok ? map.value : undefined);
    if (typeof mappings !== 'string') return undefined;
    const payload = { version: 3, sources: listOr(sources).map(String), mappings };
    return new SourceMap({ ...payload, file: '', names: [], sourcesContent: [], sourceRoot: '' });
  } catch {
    return undefined;
  }
}
