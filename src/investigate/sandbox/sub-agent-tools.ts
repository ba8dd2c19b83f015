import { isObject, type JsonObject, listOr, objectOr, text } from '../../foreign/json.js';
import type { ToolCall, ToolDefinition, ToolResult } from '../../llm/chat.js';
import type { Proposal } from './verify.js';
import type { Workshop } from './workshop.js';

export const FINISH = 'finish';

/** What the tools of the sub-agent work with. */
export interface Bench {
  readonly workshop: Workshop;
  /** Hygiene and redaction of what the sandbox says, before a model reads it. */
  readonly clean: (text: string) => string;
  /** Marks what is data. */
  readonly nonce: string;
}

const MAX_SHOWN = 8000;
const MAX_RUN_S = 30;
const MAX_LINES = 200;

const object = (properties: JsonObject, required: readonly string[]): JsonObject => ({
  type: 'object',
  additionalProperties: false,
  properties,
  required,
});

/** The tools of the sub-agent (spec 07 B13). */
export const SUB_AGENT_TOOLS: readonly ToolDefinition[] = [
  {
    name: 'read_file',
    description: 'Numbered lines of a file of the source tree.',
    parameters: object(
      {
        path: { type: 'string' },
        start: { type: 'integer', minimum: 1 },
        end: { type: 'integer', minimum: 1 },
      },
      ['path', 'start', 'end'],
    ),
  },
  {
    name: 'write_file',
    description: 'Writes a file of at most 32 KiB into /box; a plain name, no directory.',
    parameters: object({ name: { type: 'string' }, content: { type: 'string' } }, ['name', 'content']),
  },
  {
    name: 'run',
    description: 'Runs a command in /box. An argument list, not a line for a shell.',
    parameters: object(
      {
        command: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 32 },
        timeout_s: { type: 'integer', minimum: 1, maximum: MAX_RUN_S, default: MAX_RUN_S },
      },
      ['command'],
    ),
  },
  {
    name: FINISH,
    description: 'Hands in the reproduction; it is run and checked.',
    parameters: object(
      {
        script: { type: 'string', description: 'name of the file that provokes the fault' },
        control_script: {
          type: 'string',
          description: 'name of a file that uses the same code without the fault',
        },
        expect: object(
          {
            exit: {
              description: '"nonzero" or the exit status',
              anyOf: [{ enum: ['nonzero'] }, { type: 'integer' }],
            },
            stderr_contains: { type: 'string', minLength: 8 },
          },
          ['exit', 'stderr_contains'],
        ),
        explanation: { type: 'string' },
      },
      ['script', 'control_script', 'expect', 'explanation'],
    ),
  },
];

/** Answers a call that is no proposal. */
export async function answerCall(call: ToolCall, bench: Bench): Promise<ToolResult> {
  const error = (content: string): ToolResult => ({ callId: call.id, content, isError: true });
  if (!call.arguments.ok) return error(`the arguments cannot be read: ${call.arguments.problem}`);
  const args = call.arguments.value;
  const { workshop, clean, nonce } = bench;
  const shown = (content: string): ToolResult => ({
    callId: call.id,
    content: `<<data ${nonce}>>\n${content.slice(0, MAX_SHOWN).replaceAll(nonce, '')}\n<<end ${nonce}>>`,
    isError: false,
  });
  switch (call.name) {
    case 'read_file': {
      const [path, start, end] = [text(args['path']), args['start'], args['end']];
      if (path === undefined || !isLineNumber(start) || !isLineNumber(end))
        return error('path, start, end are needed');
      const lines = workshop.sourceLines(path);
      if (typeof lines === 'string') return error(lines);
      const part = lines.slice(start - 1, Math.min(end, start + MAX_LINES - 1));
      return shown(part.map((line, index) => `${start + index}: ${clean(line)}`).join('\n'));
    }
    case 'write_file': {
      const [name, content] = [text(args['name']), text(args['content'])];
      if (name === undefined || content === undefined) return error('name and content are needed');
      const refusal = workshop.write(name, content);
      return refusal === null
        ? { callId: call.id, content: `written: /box/${name}`, isError: false }
        : error(refusal);
    }
    case 'run': {
      const argv = listOr(args['command']).flatMap((part) => text(part) ?? []);
      if (
        argv.length === 0 ||
        argv.length > 32 ||
        argv.some((part) => part.includes('\0') || part.length > 4096)
      ) {
        return error('command is a list of 1 to 32 texts');
      }
      const seconds = typeof args['timeout_s'] === 'number' ? args['timeout_s'] : MAX_RUN_S;
      const run = await workshop.run(argv, Math.min(MAX_RUN_S, Math.max(1, seconds)) * 1000);
      const end = run.ended === 'exit' ? `exit status ${run.exit}` : `ended: ${run.ended}`;
      const half = MAX_SHOWN / 2 - 100;
      return shown(
        `${end}\nstdout:\n${cleanTail(run.stdout, clean, half)}\nstderr:\n${cleanTail(run.stderr, clean, half)}`,
      );
    }
    default:
      return error(`there is no tool ${call.name.slice(0, 60)}`);
  }
}

/** The end of an output, where a stack trace has its message. */
function cleanTail(output: string, clean: (text: string) => string, maxChars: number): string {
  return output.slice(-maxChars).split('\n').map(clean).join('\n');
}

/** A reproduction as handed in, or what is wrong with it. */
export function readProposal(call: ToolCall): Proposal | string {
  if (!call.arguments.ok) return `the arguments cannot be read: ${call.arguments.problem}`;
  const { script, control_script: controlScript, expect } = call.arguments.value;
  const { exit, stderr_contains: stderrContains } = objectOr(expect);
  if (typeof script !== 'string' || typeof controlScript !== 'string')
    return 'script and control_script are needed';
  if (!isObject(expect) || typeof stderrContains !== 'string') return 'expect has exit and stderr_contains';
  if (exit !== 'nonzero' && !(typeof exit === 'number' && Number.isInteger(exit))) {
    return 'expect.exit is "nonzero" or an integer';
  }
  return { script, controlScript, expect: { exit, stderrContains } };
}

function isLineNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1;
}
