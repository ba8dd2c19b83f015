import { compareCodePoints } from '../../foreign/order.js';
import type { Redact } from '../../foreign/redact.js';
import { type Intent, sendMessage } from '../intents.js';
import type { Evaluation } from './evaluation.js';
import type { SymptomLookup } from './inhibition.js';
import { splitKey } from './key.js';
import { type Silence, silenceOf } from './silences.js';
import type { Entry } from './slot.js';
import { wireLine, wireSubject } from './wire.js';

const MAX_NOTICES = 16;

/** A notice that a state reported at HIGH is gone. */
export interface ResolvedNotice {
  readonly key: string;
  readonly intent: Intent;
}

/** Step 7 (spec 05 A.12.2): keys whose state was reported at HIGH and has been absent in two evaluations. */
export function resolvedNotices(
  evaluation: Evaluation,
  undecided: ReadonlySet<string>,
  silences: readonly Silence[],
  lookup: SymptomLookup,
  redact: Redact,
): ResolvedNotice[] {
  const { slot, now, config } = evaluation;
  if (!config.resolved_notices) return [];
  return [...slot.entries]
    .filter(([key, entry]) => {
      const { name, subject } = splitKey(key);
      if (!isNoticeDue(entry, name, lookup) || entry.absent < 2 || entry.absentSince === null) return false;
      return !undecided.has(name) && silenceOf({ name, subject }, silences, now) === undefined;
    })
    .sort(([a], [b]) => compareCodePoints(a, b))
    .slice(0, MAX_NOTICES)
    .map(([key, entry]) => ({ key, intent: noticeIntent(key, entry, redact) }));
}

/** True when the key still owes its resolved notice; only states do (spec 05 A.12.3). */
export function isNoticeDue(entry: Entry, name: string, { specOf }: SymptomLookup): boolean {
  return entry.notice && specOf(name)?.nature === 'state';
}

function noticeIntent(key: string, entry: Entry, redact: Redact): Intent {
  const { name, subject } = splitKey(key);
  const shown = wireSubject(subject, redact);
  const about = Object.entries(shown)
    .map(([label, value]) => `${label} ${value}`)
    .join(', ');
  const body = `${name}${about === '' ? '' : ` (${about})`}: no longer seen since tick ${entry.absentSince}`;
  return sendMessage({
    topic: 'observation',
    body_md: wireLine(body, redact),
    extras: {
      detail: {
        symptom: name,
        subject: shown,
        resolved: true,
        since_tick: entry.absentSince,
        policy: ['resolved_notices'],
      },
    },
  });
}
