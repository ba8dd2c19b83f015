/**
 * Whether a counter may advance in this evaluation: at most once per session tick (spec 03 G-9). A prompt without a positive
 * tick says nothing about repetition, so it advances; a repeated tick may reset a counter but not advance it.
 */
export function mayAdvance(tick: number, lastTick: number): boolean {
  return tick <= 0 || tick !== lastTick;
}
