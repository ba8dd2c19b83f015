import { outgoingLine } from '../../foreign/hygiene.js';
import { isObject, type Json, type JsonObject } from '../../foreign/json.js';
import { detail, utc, wrap } from '../findings/format.js';
import { durationText } from '../silence/duration.js';
import type { Explanation } from './explanation.js';

/** Everything about one key as text of 80 columns. */
export function renderExplanation(explanation: Explanation, nowUnix: number, colour: boolean): string {
  return [
    ...what(explanation, colour),
    '',
    ...why(explanation),
    '',
    ...state(explanation, nowUnix),
    '',
    'to silence it:',
    `  ${explanation.silenceCommand}`,
  ].join('\n');
}

function what({ finding, symptom, subject }: Explanation, colour: boolean): string[] {
  if (finding !== undefined)
    return [detail(finding, colour), ...remarks(finding.intents.map(({ payload }) => payload))];
  const pairs = Object.entries(subject).map(([key, value]) => outgoingLine(`${key}=${value}`));
  return [[symptom, ...pairs].join(' '), '  No finding of it is on record.'];
}

/** What the alert says about intents that were held back, switched off or merged. */
function remarks(payloads: readonly JsonObject[]): string[] {
  const details = payloads.map((payload) => payload['detail']).filter(isObject);
  return details.flatMap((found) => [
    ...pending(found['pending_action']),
    ...sentence(found['protected'], (family) => `not pruned: ${family} is protected (protected_families)`),
    ...sentence(
      found['already_pruned'],
      (family) => `not pruned again: ${family} was pruned before (repeat_prune)`,
    ),
    ...sentence(found['merged_into'], (key) => `its recover was merged into ${key} (max_recovers_per_tick)`),
    ...sentence(found['explained_by'], (key) => `explained by ${key.replaceAll('\u001f', ' ')}`),
  ]);
}

function sentence(value: Json | undefined, text: (value: string) => string): string[] {
  return typeof value === 'string' ? wrap(outgoingLine(text(value)), 0) : [];
}

function pending(value: Json | undefined): string[] {
  if (!isObject(value)) return [];
  const action = value['action_name'] ?? `prune of ${String(value['family'])}`;
  const by = String(value['held_by']);
  const why: Readonly<Record<string, string>> = {
    destructive_confirmations: `seen at HIGH ${value['confirmations']} of ${value['needed']} times in a row`,
    recover_backoff_ticks: `another recover went out lately; free again at tick ${value['until_tick']}`,
    closing_phase: 'the host accepts none in its closing phase',
  };
  return wrap(outgoingLine(`held back: ${String(action)} (${by}): ${why[by] ?? 'see the policy'}`), 0);
}

function why({ rule, spec, settings }: Explanation): string[] {
  if (rule === undefined || spec === undefined) return ['No rule of this version reports it.'];
  return [
    `rule ${rule.name}`,
    ...wrap(spec.meaning, 2),
    ...wrap(`What to do: ${spec.action}`, 2),
    'thresholds in force:',
    ...Object.entries(settings).flatMap(([name, value]) => {
      const field = rule.config[name];
      const unit = field !== undefined && 'unit' in field ? ` ${field.unit}` : '';
      return wrap(`${name} = ${JSON.stringify(value)}${unit}`, 2);
    }),
    ...(Object.keys(settings).length === 0 ? ['  none: the rule has no settings'] : []),
  ];
}

const MUTED: Readonly<Record<string, string>> = {
  cooldown_ticks: 'it was told before and has not changed',
  inhibition_enabled: 'another symptom that is present explains it',
  silence: 'an operator silenced it',
};

function state(explanation: Explanation, nowUnix: number): string[] {
  const { presence, lastEvaluation, mutedBy, memory, silence } = explanation;
  const lines: string[] = [];
  if (presence === undefined || lastEvaluation === undefined) lines.push('now: no evaluation is on record');
  else {
    const words = { present: 'still there', absent: 'gone', undecided: 'could not be judged' } as const;
    lines.push(`now: ${words[presence]} at tick ${lastEvaluation.tick} (${utc(lastEvaluation.unix)})`);
  }
  if (mutedBy !== undefined) lines.push(...wrap(`quiet, because ${MUTED[mutedBy] ?? mutedBy}`, 0));
  if (silence !== undefined) {
    const left = durationText(silence.expires_unix - nowUnix);
    lines.push(
      ...wrap(outgoingLine(`silenced for another ${left} (${silence.id}) ${silence.comment}`).trim(), 0),
    );
  }
  if (memory?.dueTick != null) {
    const byClock = memory.dueUnix === null ? '' : `, or after ${utc(memory.dueUnix)}`;
    lines.push(`next reminder, if it stays as it is: tick ${memory.dueTick}${byClock}`);
  }
  if (memory?.remedy === 'held')
    lines.push(`its recover or prune is held back (${memory.confirmations} times at HIGH in a row)`);
  if (memory?.remedy === 'sent') lines.push('its recover or prune went out');
  return lines;
}
