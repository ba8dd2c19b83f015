import { createHash } from 'node:crypto';
import type { Json } from '../../../foreign/json.js';
import { canonicalJson } from '../../shared/canonical-json.js';

/**
 * SHA-1, in hex, of an action and its params in canonical JSON (spec 03 §7.4, event-8). Undefined when the params are nested
 * too deeply.
 */
export function payloadHash(actionName: string, params: Json): string | undefined {
  const canonical = canonicalJson({ action_name: actionName, params });
  return canonical === undefined ? undefined : createHash('sha1').update(canonical, 'ascii').digest('hex');
}
