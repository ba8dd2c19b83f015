import type { RunRequest, SystemUnderTest } from './system.js';

/** The same system; `onRun` is told of every run before it starts, with the number of runs so far, this one included. */
export function watchRuns(
  system: SystemUnderTest,
  onRun: (request: RunRequest, count: number) => void,
): SystemUnderTest {
  let count = 0;
  const tell = (request: RunRequest): void => {
    count += 1;
    onRun(request, count);
  };
  return {
    measure(request) {
      tell(request);
      return system.measure(request);
    },
    trace(request, place) {
      tell(request);
      return system.trace(request, place);
    },
  };
}
