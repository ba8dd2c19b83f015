import { objectsOf } from '../../foreign/json.js';
import { readAuditTail } from '../../selfedit/registry/audit-log.js';
import type { CommandIo, RunCommand } from '../shared/command.js';
import { createProgram, runProgram } from '../shared/program.js';
import { addCommonOptions, type CommonOptions, printResult, wholeNumber } from './options.js';
import { workspace } from './workspace.js';

interface GuardrailOptions extends CommonOptions {
  readonly last: number;
  readonly edit?: string;
}

/** `selfedit guardrails`: the audit of the gate. */
export const run: RunCommand = (argv, io) => {
  const program = createProgram('selfedit guardrails', 'Shows why edits passed or failed.', io);
  addCommonOptions(program)
    .option('--last <n>', 'so many entries', wholeNumber(1, 10_000), 10)
    .option('--edit <id>', 'this edit alone')
    .action((options: GuardrailOptions) => act(options, io));
  return runProgram(program, argv, io);
};

async function act(options: GuardrailOptions, io: CommandIo): Promise<void> {
  const { registry } = workspace(options, io);
  const tail = readAuditTail(registry.auditPath, Number.MAX_SAFE_INTEGER);
  const entries = tail.entries
    .filter((entry) => options.edit === undefined || entry['edit_id'] === options.edit)
    .slice(-options.last);
  const lines = entries.flatMap((entry) =>
    entry['event'] === undefined
      ? [
          `${String(entry['at'])}  ${String(entry['edit_id'])}  ${String(entry['decision'])}: ${String(entry['verdict'])}, ${String(entry['reason'])}`,
          ...objectsOf(entry['checks']).map(
            (check) =>
              `  ${check['passed'] === true ? 'pass' : 'FAIL'}  ${String(check['name']).padEnd(10)}${String(check['value'])} / ${String(check['threshold'])}`,
          ),
        ]
      : [
          `${String(entry['at'])}  ${String(entry['event'])} to version ${String(entry['to_version'])}: ${String(entry['reason'])}`,
        ],
  );
  const torn = tail.unreadable === 0 ? [] : [`${tail.unreadable} lines could not be read`];
  const text = [...(lines.length === 0 ? ['no entries'] : lines), ...torn].join('\n');
  await printResult(io, options, { entries, unreadable: tail.unreadable }, `${text}\n`);
}
