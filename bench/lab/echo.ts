import { isObject, type JsonObject, text } from '../../src/foreign/json.js';
import type { Lab } from './scenario.js';

/** An intent on the wire. */
export interface SentIntent {
  readonly intent_type: string;
  readonly payload: JsonObject;
}

/** `recover`, `prune:FAMILY`, or undefined for what destroys nothing. */
export function destructiveName({ intent_type: type, payload }: SentIntent): string | undefined {
  if (type === 'delegate') return text(payload['action_name']) ?? 'delegate';
  return type === 'prune_branch' ? `prune:${text(payload['family']) ?? ''}` : undefined;
}

/** One word per intent: its type and what it is about. */
export function intentWord(intent: SentIntent): string {
  const { intent_type: type, payload } = intent;
  const detail = payload['detail'];
  const what = isObject(detail) ? text(detail['symptom']) : text(payload['topic']);
  return destructiveName(intent) ?? `${type}:${what ?? ''}`;
}

/** What the Coordinator does with our intents: it shows them on the bus, and carries out what it may (spec 01 §4.3). */
export function echoIntents(lab: Lab, intents: readonly SentIntent[]): void {
  const { world } = lab;
  for (const intent of intents) {
    const { intent_type: type, payload } = intent;
    if (type === 'alert') world.tell('alert', payload, { from: 'robustness' });
    else if (type === 'send_message')
      world.tell(text(payload['topic']) ?? 'observation', payload, { from: 'robustness' });
    else if (type === 'prune_branch') prune(lab, text(payload['family']) ?? '');
    const name = destructiveName(intent);
    if (name !== undefined) lab.onDestructive(name);
  }
}

function prune({ world }: Lab, family: string): void {
  const { coordinator } = world;
  if (!coordinator.prunedFamilies.includes(family)) coordinator.prunedFamilies.push(family);
  world.tell(
    'event',
    { kind: 'prune_branch', family, scope: 'family', cancelled_task_ids: [] },
    { from: 'robustness' },
  );
}
