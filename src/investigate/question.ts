import type { JsonObject } from '../foreign/json.js';
import { entity, subjectEntities } from './evidence/entities.js';
import { type Issue, issueOfSymptom, issueOfText } from './policy/relevance.js';
import type { SnapshotReading } from './tools/session/abnormal.js';

/** What is to be explained: a person's words, or a finding. */
export interface Question {
  readonly text: string;
  /** Null for a person's question. */
  readonly symptom: string | null;
  readonly subject: JsonObject;
  /** De-duplication key of the finding. */
  readonly key: string | null;
  readonly serviceName: string | null;
  readonly traceId: string | null;
  readonly windowMinutes: number;
  readonly incidentUnix: number;
  /** The tick's own reading of the machine. */
  readonly snapshot: SnapshotReading | null;
  /** This machine is not to be looked at, whatever the settings say. */
  readonly skipsMachine?: boolean;
}

export function issueOf({ symptom, text }: Question): Issue {
  return symptom === null ? issueOfText(text) : issueOfSymptom(symptom);
}

/** Tasks that the finding is about; they steer the collection and prove nothing. */
export function taskIdsOf({ subject }: Question): string[] {
  return subjectEntities(subject).flatMap((named) => (named.startsWith('task:') ? [named.slice(5)] : []));
}

/** The question as one line. */
export function titleOf({ text, symptom }: Question): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const title = symptom === null ? line : [symptom, line].filter((part) => part !== '').join(': ');
  return title.slice(0, 300);
}

/** The session entity, which connects nothing. */
export function sessionEntity(sessionId: string): string[] {
  return entity('session', sessionId);
}
