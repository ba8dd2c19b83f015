import type { SourcesConfig } from '../config.js';

const FLOOR_S = 0.5;

/** How long `ray status` may take, ms. */
export function rayTimeoutMs({ ray_probe_timeout_s: configured }: SourcesConfig): number {
  return Math.max(FLOOR_S, configured) * 1000;
}
