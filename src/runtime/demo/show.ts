import { outgoingLine } from '../../foreign/hygiene.js';
import { isObject, text } from '../../foreign/json.js';
import type { WireIntent } from '../../reactor/findings/finding.js';
import { severityLabel, subjectText, utc, wrap } from '../findings/format.js';
import type { PlayedScene } from './play.js';

/** A scene as a newcomer reads it: what happened, what was seen, what was decided and why. */
export function showScene(
  { scene, tick, at, findings, intents, ms, complaints }: PlayedScene,
  colour: boolean,
): string {
  const lines = [`tick ${tick}  ${utc(at)}  ${Math.round(ms)} ms`, ...wrap(scene.story, 2)];
  for (const finding of findings) {
    const subject = subjectText(finding);
    lines.push(
      `  saw      ${severityLabel(finding.severity, colour)} ${finding.symptom_name}${subject && ` (${subject})`}`,
    );
    lines.push(...wrap(outgoingLine(finding.summary), 18));
  }
  if (findings.length === 0) lines.push('  saw      nothing wrong');
  for (const intent of intents) lines.push(...showIntent(intent));
  lines.push(...complaints.map((complaint) => `  WRONG    ${complaint}`), '');
  return lines.join('\n');
}

function showIntent({ intent_type: type, payload }: WireIntent): string[] {
  const detail = isObject(payload['detail']) ? payload['detail'] : {};
  const pending = isObject(detail['pending_action']) ? detail['pending_action'] : undefined;
  const held =
    pending === undefined
      ? []
      : wrap(
          `held back: ${text(pending['intent_type'])} ${text(pending['action_name']) ?? text(pending['family']) ?? ''}, confirmation ${String(pending['confirmations'])} of ${String(pending['needed'])} (${text(pending['held_by'])})`,
          18,
        );
  return [`  decided  ${type} ${whatOf(type, payload)}`.trimEnd(), ...held];
}

function whatOf(type: string, payload: WireIntent['payload']): string {
  if (type === 'delegate') return `${text(payload['action_name'])}, because ${reasonOf(payload)}`;
  if (type === 'prune_branch') return `family ${text(payload['family'])}`;
  if (type === 'send_message') return text(payload['topic']) ?? '';
  const detail = payload['detail'];
  return `${text(payload['severity']) ?? ''} ${isObject(detail) ? (text(detail['symptom']) ?? '') : ''}`;
}

function reasonOf(payload: WireIntent['payload']): string {
  const params = payload['params'];
  return isObject(params) ? (text(params['reason']) ?? '') : '';
}
