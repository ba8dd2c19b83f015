import type { ConfigFields, ConfigValues } from '../foreign/config-field.js';
import { processPatternFields } from '../foreign/shared-fields.js';
import { diskFields } from './fields/disk-fields.js';
import { probeFields } from './fields/probe-fields.js';
import { sessionFields } from './fields/session-fields.js';

/** Fields that shape the sources (spec 02 §1). Each group of collectors spreads its own fields in here. */
export const sourcesFields = {
  ...probeFields,
  ...sessionFields,
  ...diskFields,
  ...processPatternFields,
} as const satisfies ConfigFields;

export type SourcesConfig = ConfigValues<typeof sourcesFields>;
