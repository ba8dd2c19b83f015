/** What lies in the findings file, as schemas/finding.schema.json describes it (spec 01 §6, 05 A.7). */
export type { Finding, WireIntent } from '../generated/wire-types.js';
