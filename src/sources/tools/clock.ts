/** Milliseconds that never go back. The global `performance` would load a module that nothing else here needs. */
export function monotonicMs(): number {
  return process.uptime() * 1000;
}
