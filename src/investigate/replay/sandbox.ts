import { isObject, type Json, listOr, objectOr, text } from '../../foreign/json.js';
import type { CassetteReader, CassetteWriter } from '../../llm/cassette.js';
import type { Reproduction } from '../policy/strict.js';
import { REPRODUCE, type Reproducing } from '../sandbox/reproduce-tool.js';
import { failed } from '../tools/tool.js';
import { MISS } from './http.js';
import { outcomeOrFailure, parseOutcome, toJson, toolKey } from './tools.js';

/** The sandbox of a run, or why there is none. */
export interface OpenedReproducing {
  readonly made: Reproducing | null;
  readonly warnings: readonly string[];
}

const KIND = 'sandbox';
const OPENED = 'opened';

/** A sandbox whose answers are recorded, with what they are worth to the policy. */
export function recordSandbox(opened: OpenedReproducing, cassette: CassetteWriter): OpenedReproducing {
  const { made, warnings } = opened;
  cassette.record(KIND, OPENED, null, { there: made !== null, warnings });
  if (made === null) return opened;
  const tool = {
    ...made.tool,
    async run(...[args, context]: Parameters<typeof made.tool.run>) {
      const before = made.reproductions().length;
      const outcome = await outcomeOrFailure(made.tool, args, context);
      const shown = made.reproductions().slice(before);
      cassette.record(KIND, toolKey(made.tool, args), toJson(args), toJson({ outcome, shown }));
      return outcome;
    },
  };
  return { made: { ...made, tool }, warnings };
}

/** The same sandbox out of a cassette: nothing is laid out and nothing runs. */
export function replaySandbox(cassette: CassetteReader): OpenedReproducing {
  const opened = cassette.take(KIND, OPENED);
  const { there, warnings } = objectOr(opened.ok ? opened.response : null);
  const texts = listOr(warnings).filter((one) => typeof one === 'string');
  if (there !== true) return { made: null, warnings: texts };
  const done: Reproduction[] = [];
  const tool = {
    ...REPRODUCE,
    async run(...[args]: Parameters<Reproducing['tool']['run']>) {
      const taken = cassette.take(KIND, toolKey(REPRODUCE, args));
      const { outcome: stored = null, shown } = objectOr(taken.ok ? taken.response : null);
      const outcome = parseOutcome(stored);
      if (outcome === null)
        return failed('replay_miss', `${MISS}: no answer to ${toolKey(REPRODUCE, args).slice(0, 200)}`);
      done.push(...listOr(shown).flatMap(parseReproduction));
      return outcome;
    },
  };
  return { made: { tool, reproductions: () => done, close: () => undefined }, warnings: texts };
}

function parseReproduction(value: Json): Reproduction[] {
  if (!isObject(value)) return [];
  const filePath = text(value['filePath']);
  const { verified, line, error } = value;
  if (filePath === undefined || typeof verified !== 'boolean') return [];
  const shown = isObject(error)
    ? { fingerprint: text(error['fingerprint']) ?? null, text: text(error['text']) ?? null }
    : null;
  return [{ filePath, verified, line: typeof line === 'number' ? line : null, error: shown }];
}
