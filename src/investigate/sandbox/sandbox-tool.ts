import { ERROR_TYPES } from '../model/error-type.js';
import type { Reproduction } from '../policy/strict.js';
import { stringOf } from '../tools/arguments.js';
import type { SourceRoot } from '../tools/session/source-slice.js';
import { failed, type Tool } from '../tools/tool.js';
import type { Sandbox } from './bwrap.js';
import { prepareTree } from './prepare-tree.js';
import { LANGUAGES, reproduce } from './reproduce.js';

/** Kinds of fault that code alone can show (spec 07 A11). */
const REPRODUCIBLE = new Set([
  'code_logic',
  'runtime_error',
  'null_pointer',
  'index_out_of_bounds',
  'race_condition',
  'parsing_error',
  'serialization_error',
]);
const MAX_REPRODUCTIONS = 2;
const MAX_SCRIPT = 32 * 1024;
const LEAST_STDERR = 8;

export interface SandboxTool {
  readonly tool: Tool;
  /** What was tried so far, for the policy. */
  readonly reproductions: () => readonly Reproduction[];
}

/** `reproduce_in_sandbox`: scripts against a copy of a source root, judged by the harness (spec 07 B13). */
export function sandboxTool(sandbox: Sandbox, roots: readonly SourceRoot[]): SandboxTool {
  const done: Reproduction[] = [];
  const tool: Tool = {
    name: 'reproduce_in_sandbox',
    capability: 'sandbox',
    family: 'sandbox',
    description:
      'Runs a small script against a copy of the source at /box/src, without network, twice, and a control once. It counts when both runs fail as expected with a stack frame in the suspect file and the control exits 0.',
    parameters: {
      hypothesis: { type: 'string', doc: 'what the script shows' },
      error_type: { type: 'choice', values: ERROR_TYPES, doc: 'kind of fault' },
      file_path: { type: 'string', maxLength: 1024, doc: 'suspect file, relative to the source root' },
      language: { type: 'choice', values: LANGUAGES, doc: 'of both scripts' },
      script: { type: 'string', maxLength: MAX_SCRIPT, multiline: true, doc: 'calls the real code and fails' },
      control_script: {
        type: 'string',
        maxLength: MAX_SCRIPT,
        multiline: true,
        doc: 'uses the same file without triggering the fault; exits 0',
      },
      expect_exit: { type: 'integer', optional: true, minimum: 0, maximum: 255, doc: 'exit code; any but 0 when left out' },
      expect_stderr: { type: 'string', doc: 'at least 8 characters of the error, not a text of the script' },
    },
    async run(args, { signal, clean }) {
      const filePath = stringOf(args, 'file_path').replace(/^\/+/, '');
      const expectStderr = stringOf(args, 'expect_stderr');
      const skip = (reason: string) => ({ ...failed('denied', reason), data: { skip_reason: reason } });
      if (!REPRODUCIBLE.has(stringOf(args, 'error_type'))) return skip('this kind of fault cannot be shown by a script');
      if (filePath === '') return skip('no file is named');
      const root = roots.find(({ tree }) => tree.has(filePath));
      if (root === undefined) return skip('the file is in no source root');
      if (expectStderr.length < LEAST_STDERR) return skip(`expect_stderr has at least ${LEAST_STDERR} characters`);
      if (done.length >= MAX_REPRODUCTIONS) return skip(`at most ${MAX_REPRODUCTIONS} reproductions`);
      const prepared = prepareTree(root);
      if (typeof prepared === 'string') return failed('error', prepared);
      try {
        const exit = args['expect_exit'];
        const result = await reproduce(
          sandbox,
          {
            tree: prepared.path,
            filePath,
            language: stringOf(args, 'language') === 'node' ? 'node' : 'python',
            script: stringOf(args, 'script'),
            controlScript: stringOf(args, 'control_script'),
            expectExit: typeof exit === 'number' ? exit : 'nonzero',
            expectStderr,
          },
          signal,
        );
        done.push({ filePath, verified: result.verified });
        const lines = (text: string): string => text.split('\n').map(clean).join('\n');
        const data = { ...result, stdout: lines(result.stdout), stderr: lines(result.stderr) };
        return { status: 'ok', cls: 'none', data, count: result.attempts, filePath };
      } finally {
        prepared.remove();
      }
    },
  };
  return { tool, reproductions: () => done };
}
