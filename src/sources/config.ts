import type { ConfigFields, ConfigValues } from '../foreign/config-field.js';
import { processPatternFields } from '../foreign/shared-fields.js';
import { artifactFields } from './fields/artifact-fields.js';
import { diskFields } from './fields/disk-fields.js';
import { machineFields } from './fields/machine-fields.js';
import { networkFields } from './fields/network-fields.js';
import { probeFields } from './fields/probe-fields.js';
import { sessionFields } from './fields/session-fields.js';

/** Fields that shape the sources (spec 02 §1). Each group of collectors spreads its own fields in here. */
export const sourcesFields = {
  ...probeFields,
  ...sessionFields,
  ...diskFields,
  ...machineFields,
  ...networkFields,
  ...artifactFields,
  ...processPatternFields,
} as const satisfies ConfigFields;

export type SourcesConfig = ConfigValues<typeof sourcesFields>;
