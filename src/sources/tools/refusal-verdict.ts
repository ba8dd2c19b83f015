import type { CollectorVerdict } from '../collector.js';

/** What a file that could not be read means for the collector that wanted it (spec 02 §10.1). */
export function refusalVerdict(refusal: {
  readonly reason: 'missing' | 'permission' | 'not_regular' | 'outside' | 'too_large' | 'io' | 'corrupt';
  readonly detail: string;
}): CollectorVerdict {
  const { reason, detail } = refusal;
  switch (reason) {
    case 'missing':
      return { status: 'empty', reason };
    case 'permission':
      return { status: 'unknown', reason, detail };
    case 'too_large':
    case 'corrupt':
      return { status: 'error', reason, detail };
    default:
      return { status: 'error', reason: 'exception', detail };
  }
}
