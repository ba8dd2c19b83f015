import type { SourcesConfig } from '../config.js';

const FLOOR_S = 0.2;

/** How long one health request may take, ms. */
export function healthTimeoutMs({ health_probe_timeout_s: configured }: SourcesConfig): number {
  return Math.max(FLOOR_S, configured) * 1000;
}
