import type { JsonObject } from '../foreign/json.js';

/** Takes what a tick has to tell beside its answer; the data never goes into the message (charter §6). */
export type TickLog = (
  level: 'debug' | 'info' | 'warn' | 'error',
  message: string,
  fields?: JsonObject,
) => void;
