import { cleanText } from '../../foreign/hygiene.js';
import {
  isObject,
  type Json,
  type JsonObject,
  listOr,
  nonBlank,
  objectOr,
  objectsOf,
  text,
} from '../../foreign/json.js';

/** One turn of the Critic (spec 02 §5.16, §14). */
export type JudgeTurn = {
  readonly turn_dir: string;
  readonly kb_read_skipped_reason: Json;
  readonly required_context: readonly string[];
  readonly proposal_count: number;
  /** Of the bundle, unix s. */
  readonly mtime: number;
  readonly verdicts: readonly Verdict[];
  /** The source that all verdicts of the turn share; null when they do not, or name none. */
  readonly emit_source: string | null;
};

export type Verdict = {
  readonly target_proposal_msg_id: string;
  readonly verdict: string;
  readonly source: string;
};

const MAX_TEXT = 200;
const MAX_CONTEXT = 50;
const MAX_VERDICTS = 50;

/** What a `judge_bundle.json` says about its turn. */
export function judgeBundle(
  bundle: JsonObject,
): Pick<JudgeTurn, 'kb_read_skipped_reason' | 'required_context' | 'proposal_count'> {
  const reason = bundle['kb_read_skipped_reason'] ?? null;
  const context = listOr(bundle['required_context']);
  const isTexts = context.every((item) => typeof item === 'string');
  return {
    kb_read_skipped_reason: typeof reason === 'string' ? cleanText(reason, MAX_TEXT) : scalar(reason),
    required_context: isTexts
      ? context.slice(0, MAX_CONTEXT).map((item) => cleanText(text(item) ?? '', MAX_TEXT))
      : [],
    proposal_count: proposalCount(bundle),
  };
}

/** What the Critic sent: its bus messages do not keep the source, its `emit.json` does (spec 02 §8). */
export function emittedVerdicts(emit: JsonObject): Pick<JudgeTurn, 'verdicts' | 'emit_source'> {
  const intents = objectsOf(objectOr(emit['intent_envelope'])['intents']);
  const payloads = intents
    .filter((intent) => (intent['type'] ?? intent['intent_type']) === 'review_verdict')
    .map((intent) => objectOr(intent['payload']))
    .slice(0, MAX_VERDICTS);
  const verdicts = payloads.map((payload) => ({
    target_proposal_msg_id: short(payload['target_proposal_msg_id']),
    verdict: short(payload['verdict']),
    source: short(payload['source']),
  }));
  const [first] = verdicts;
  const isShared =
    first !== undefined && first.source !== '' && verdicts.every((each) => each.source === first.source);
  return { verdicts, emit_source: isShared ? first.source : null };
}

function proposalCount(bundle: JsonObject): number {
  const { proposals, kb_priors_by_proposal: priors } = bundle;
  if (Array.isArray(proposals)) return proposals.length;
  return isObject(priors) ? Object.keys(priors).length : 0;
}

function scalar(value: Json): Json {
  return typeof value === 'object' ? null : value;
}

function short(value: unknown): string {
  return cleanText(nonBlank(value) ?? '', MAX_TEXT);
}
