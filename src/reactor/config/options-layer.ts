import type { JsonObject } from '../../foreign/json.js';
import { readOptionField } from './field-value.js';
import type { FieldSet } from './fields.js';
import type { ConfigLayer } from './layers.js';

/** Request options that are not configuration fields. */
const FRAME_OPTIONS = new Set(['session_dir']);

/** The options of a request (spec 01 §1.4). */
export function optionsLayer(fields: FieldSet, options: JsonObject): ConfigLayer {
  const values = Object.fromEntries(Object.entries(options).filter(([name]) => !FRAME_OPTIONS.has(name)));
  return {
    origin: 'options',
    values,
    read: (name, value) => {
      const field = fields.find(name);
      if (field === undefined) return 'unknown';
      // The host's own coercion: a node count is at least one (spec 01 §1.4).
      if (name === 'nodes' && typeof value === 'number' && value < 1) return { ok: true, value: 1 };
      return readOptionField(field, value);
    },
  };
}
