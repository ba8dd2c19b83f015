import { isObject, type Json, objectOr } from '../../foreign/json.js';
import type { CassetteKind, CassetteReader, CassetteWriter } from '../../llm/cassette.js';
import type { ArgumentValues } from '../tools/arguments.js';
import type { Tool, ToolContext, ToolOutcome } from '../tools/tool.js';
import { failed } from '../tools/tool.js';
import { MISS } from './http.js';

/** A tool that looks at this machine, with its answers recorded as they are. */
export function recordTool(tool: Tool, cassette: CassetteWriter): Tool {
  return {
    ...tool,
    async run(args, context) {
      const outcome = await outcomeOrFailure(tool, args, context);
      cassette.record(kindOf(tool), toolKey(tool, args), toJson(args), toJson(outcome));
      return outcome;
    },
  };
}

/** The same tool, answering from a cassette alone. */
export function replayTool(tool: Tool, cassette: CassetteReader): Tool {
  return {
    ...tool,
    async run(args) {
      const taken = cassette.take(kindOf(tool), toolKey(tool, args));
      const outcome = taken.ok ? parseOutcome(taken.response) : null;
      return outcome ?? failed('replay_miss', `${MISS}: no answer to ${toolKey(tool, args).slice(0, 200)}`);
    },
  };
}

/** The outcome of a tool; one that breaks gives a failure, which is recorded like any other. */
export async function outcomeOrFailure(
  tool: Tool,
  args: ArgumentValues,
  context: ToolContext,
): Promise<ToolOutcome> {
  try {
    return await tool.run(args, context);
  } catch (error) {
    return failed('error', `the tool failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function kindOf({ capability }: Tool): CassetteKind {
  return capability === 'snapshot' ? 'snapshot' : 'session';
}

/** What a call is called in a cassette: tool and canonical arguments (spec 07 B15). */
export function toolKey({ name }: Pick<Tool, 'name'>, args: ArgumentValues): string {
  const given = Object.entries(args).filter(([, value]) => value !== undefined);
  return `${name} ${JSON.stringify(given.sort(([a], [b]) => (a < b ? -1 : 1)))}`;
}

/** Our own writer's outcome; a cassette is as trusted as the code beside it, yet must be whole. */
export function parseOutcome(stored: Json): ToolOutcome | null {
  if (!isObject(stored) || typeof stored['status'] !== 'string' || typeof stored['cls'] !== 'string')
    return null;
  const outcome: ToolOutcome = JSON.parse(JSON.stringify({ ...stored, data: objectOr(stored['data']) }));
  return outcome;
}

/** Plain data as JSON carries it. */
export function toJson(value: object): Json {
  const json: Json = JSON.parse(JSON.stringify(value));
  return json;
}
