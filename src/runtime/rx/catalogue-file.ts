import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { DEFAULT_CATALOGUE } from '../../rx/actions/catalogue.js';
import { MAX_CATALOGUE_BYTES, parseCatalogue } from '../../rx/actions/parse-catalogue.js';
import type { Catalogue } from '../../rx/types.js';
import { UserError } from '../shared/user-error.js';

/**
 * The catalogue named by `--catalogue`, the bundled one without it.
 *
 * @throws UserError `RA_RX_CATALOGUE`
 */
export function readCatalogueFile(path: string | undefined, cwd: string): Catalogue {
  if (path === undefined) return DEFAULT_CATALOGUE;
  const read = parseCatalogue(readBounded(path, cwd));
  if (read.ok) return read.catalogue;
  const [first, ...others] = read.problems;
  const more = others.length === 0 ? '' : ` (and ${others.length} more problems)`;
  throw new UserError({
    code: 'RA_RX_CATALOGUE',
    happened: `${path}: ${first}${more}`,
    expected: '{config: {knob: value}, actions: [{action_id, targets, knob, op, value, description}]}',
  });
}

function readBounded(named: string, cwd: string): string {
  const path = resolve(cwd, named);
  try {
    if (statSync(path).size > MAX_CATALOGUE_BYTES)
      throw new Error(`larger than ${MAX_CATALOGUE_BYTES} bytes`);
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new UserError({
      code: 'RA_RX_CATALOGUE',
      happened: `${named} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      todo: 'check the path given with --catalogue',
    });
  }
}
