import {
  isObject,
  type Json,
  type JsonObject,
  listOr,
  objectsOf,
  parseJson,
  text,
} from '../../foreign/json.js';
import { applyEdit, type Edit, type EditOp, editIdOf, INTENTS } from '../prompt/edit.js';
import type { CurrentPrompt } from '../registry/registry.js';
import { whitespaceTwin } from './whitespace-twin.js';

/** Edits out of an analyzer's answer, and what of it could not be used. */
export interface ProposalReading {
  readonly edits: readonly Edit[];
  /** Edits in good form whose operations do not fit the prompt, each with why. */
  readonly misfits: readonly { readonly edit: Edit; readonly problem: string }[];
  readonly problems: readonly string[];
}

const MAX_OPS = 5;
const MAX_TEXT = 8_000;
const MAX_HYPOTHESIS = 500;
const OPS = ['replace', 'insert_after', 'delete'] as const;

/** Reads the JSON list of proposals, with or without a code fence or an object around it. Bounded; never throws. */
export function readProposals(
  answer: string,
  promptId: string,
  base: CurrentPrompt,
  segments: ReadonlySet<string>,
  limit: number,
): ProposalReading {
  const raw = listIn(answer);
  if (raw === null) return { edits: [], misfits: [], problems: ['the answer holds no JSON list of edits'] };
  const edits: Edit[] = [];
  const misfits: { edit: Edit; problem: string }[] = [];
  const problems: string[] = [];
  for (const [index, item] of raw.slice(0, limit * 2).entries()) {
    const edit = isObject(item) ? editOf(item, promptId, base, segments) : 'it is no object';
    if (typeof edit === 'string') {
      problems.push(`edit ${index + 1}: ${edit}`);
      continue;
    }
    const known = [...edits, ...misfits.map((misfit) => misfit.edit)];
    if (known.length >= limit || known.some(({ edit_id }) => edit_id === edit.edit_id)) continue;
    const applied = applyEdit(base.text, edit.ops);
    if (applied.ok) edits.push(edit);
    else misfits.push({ edit, problem: `${applied.problem}: ${JSON.stringify(edit.ops)}` });
  }
  return { edits, misfits, problems };
}

function listIn(answer: string): readonly Json[] | null {
  for (const [open, close] of ['[]', '{}'].map((pair) => [...pair])) {
    const start = answer.indexOf(open ?? '');
    const end = answer.lastIndexOf(close ?? '');
    if (start < 0 || end < start) continue;
    const json = parseJson(answer.slice(start, end + 1));
    if (!json.ok) continue;
    if (Array.isArray(json.value)) return json.value;
    if (isObject(json.value)) return listOr(json.value['edits'] ?? [json.value]);
  }
  return null;
}

function editOf(
  raw: JsonObject,
  promptId: string,
  base: CurrentPrompt,
  segments: ReadonlySet<string>,
): Edit | string {
  const ops = objectsOf(raw['ops'] ?? [raw])
    .slice(0, MAX_OPS)
    .map(opOf);
  const wrong = ops.find((op) => typeof op === 'string');
  if (wrong !== undefined) return wrong;
  const good = ops
    .filter((op): op is EditOp => typeof op !== 'string')
    .map((op) => ({ ...op, old_text: inPrompt(op.old_text, base.text) }));
  if (good.length === 0) return 'it has no operation';
  const hypothesis = text(raw['hypothesis'])?.trim() ?? '';
  if (hypothesis === '') return 'it has no hypothesis';
  const intent = INTENTS.find((one) => one === raw['intent']);
  if (intent === undefined) return `its intent must be one of ${INTENTS.join(', ')}`;
  const expected = isObject(raw['expected']) ? raw['expected'] : {};
  const net = expected['net'];
  return {
    edit_id: editIdOf(promptId, base.sha256, good),
    base_version: base.version,
    base_sha256: base.sha256,
    ops: good,
    section: (text(raw['section']) ?? '').slice(0, 200),
    hypothesis: hypothesis.slice(0, MAX_HYPOTHESIS),
    intent,
    expected: {
      segments: listOr(expected['segments']).filter(
        (one): one is string => typeof one === 'string' && segments.has(one),
      ),
      net: typeof net === 'number' && Number.isFinite(net) ? net : 0,
    },
    evidence_traces: listOr(raw['evidence_traces'])
      .filter((one): one is string => typeof one === 'string')
      .slice(0, 50),
  };
}

/** The text as the prompt has it, where white space alone differs. */
function inPrompt(old: string, prompt: string): string {
  return prompt.includes(old) ? old : (whitespaceTwin(prompt, old) ?? old);
}

function opOf(raw: JsonObject): EditOp | string {
  const op = OPS.find((one) => one === raw['op']);
  if (op === undefined) return `op must be one of ${OPS.join(', ')}`;
  const old = raw['old_text'];
  const added = raw['new_text'] ?? '';
  if (typeof old !== 'string' || old.trim() === '') return 'old_text must be a text of the prompt';
  if (typeof added !== 'string' || (op !== 'delete' && added.trim() === '')) return 'new_text must be a text';
  if (old.length > MAX_TEXT || added.length > MAX_TEXT)
    return `its texts must have at most ${MAX_TEXT} characters`;
  const occurrence = raw['occurrence'];
  return {
    op,
    old_text: old,
    new_text: op === 'delete' ? '' : added,
    ...(typeof occurrence === 'number' &&
      Number.isSafeInteger(occurrence) &&
      occurrence > 0 && { occurrence }),
  };
}
