import { hostname } from 'node:os';
import { readPseudoLine } from './read-pseudo-file.js';

/** The name of this host as `hostname` gives it; read from `/proc` where there is one, which spares a module. */
export function hostName(): string {
  return readPseudoLine('/proc/sys/kernel/hostname')?.trimEnd() || hostname();
}
