/** What `ray status` says about waiting work. */
export interface RayStatus {
  /** Tasks and actors; `+` in the output means that this is a lower bound. */
  readonly pendingTasks: number;
  readonly pendingPlacementGroups: number;
}

const KNOWN_TEXT = /^\s*(?:Node status|Active:|Resources)\s*$/m;
const DEMANDS_HEADER = /^\s*(?:Total |Pending )?Demands:\s*$/;
const DEMAND = /(?:^|:)\s*(\d{1,9})\+?\s+pending\s+(task|actor|placement\s+group)/gi;
const MAX_LINES = 20_000;
const MAX_LINE = 4000;

/**
 * Output of `ray status` that ended well; undefined when it is not what that command prints. Only the sections headed
 * "Demands" count (spec 02 §10.7).
 */
export function parseRayStatus(output: string): RayStatus | undefined {
  if (!KNOWN_TEXT.test(output)) return undefined;
  let pendingTasks = 0;
  let pendingPlacementGroups = 0;
  for (const line of demandLines(output)) {
    for (const [, digits, kind = ''] of line.slice(0, MAX_LINE).matchAll(DEMAND)) {
      if (kind.toLowerCase().startsWith('placement')) pendingPlacementGroups += Number(digits);
      else pendingTasks += Number(digits);
    }
  }
  return { pendingTasks, pendingPlacementGroups };
}

/** The lines of the sections about demands: indented, or shapes; the next header ends a section. */
function demandLines(output: string): string[] {
  const found: string[] = [];
  let isInside = false;
  for (const line of output.split(/\r\n|\n|\r/, MAX_LINES)) {
    if (DEMANDS_HEADER.test(line)) isInside = true;
    else if (/^\S/.test(line) && !line.startsWith('{')) isInside = false;
    else if (isInside) found.push(line);
  }
  return found;
}

/** The first line that says something, trimmed; `''` when there is none. */
export function firstLine(output: string): string {
  return (
    output
      .split('\n')
      .find((line) => line.trim() !== '')
      ?.trim() ?? ''
  );
}
