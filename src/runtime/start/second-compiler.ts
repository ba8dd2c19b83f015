/**
 * Turns the compiler off that V8 uses for functions it has met a few times: a tick is over before that pays, and spends a
 * tenth of its own time in it. Compiled code fits only the flags that it was made with, so it has to be on again while
 * anything is loaded or kept.
 *
 * `node:v8` has a door to V8's flags as well, but loading it takes longer than what this saves. Where the old one is closed,
 * the tick takes its time.
 */
export function secondCompiler(): (isOn: boolean) => void {
  const { noDeprecation = false } = process;
  try {
    // Nobody who runs a tick could do anything about that warning.
    process.noDeprecation = true;
    const { setFlagsFromString }: Flags = Reflect.apply(Reflect.get(process, 'binding'), process, ['v8']);
    return (isOn) => setFlagsFromString(isOn ? '--sparkplug' : '--no-sparkplug');
  } catch {
    return () => undefined;
  } finally {
    process.noDeprecation = noDeprecation;
  }
}

interface Flags {
  readonly setFlagsFromString: (flag: string) => void;
}
