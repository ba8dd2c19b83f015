import type { Stop } from './stop.js';
/**
 * Lets timers and other collectors run in the middle of a long synchronous stretch.
 *
 * @throws the signal's reason when the collector's time is over
 */
export async function breathe(signal: Stop): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
  signal.throwIfAborted();
}
