import { type Command, InvalidArgumentError, Option } from 'commander';
import { PROMPT_IDS, type PromptId } from '../../selfedit/cases/case.js';
import type { CommandIo } from '../shared/command.js';
import { writeAll } from '../shared/streams.js';

/** What every sub-command takes. */
export interface CommonOptions {
  readonly promptId: PromptId;
  readonly config?: string;
  readonly json?: boolean;
}

/** Adds `--prompt-id`, `--config` and `--json`. */
export function addCommonOptions(program: Command): Command {
  return program
    .addOption(new Option('--prompt-id <id>', 'which prompt').choices([...PROMPT_IDS]).default('rca'))
    .option('--config <file>', 'configuration file')
    .option('--json', 'the result as JSON');
}

/** Parser of a whole number within bounds, for commander. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`);
  };
}

/** Parser of a number of at least 0, for commander. */
export function positiveNumber(text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isFinite(value) && value >= 0) return value;
  throw new InvalidArgumentError('Expected a number of at least 0.');
}

/** Writes a result: JSON with `--json`, else the text. */
export function printResult(
  io: CommandIo,
  options: { readonly json?: boolean },
  json: unknown,
  text: string,
): Promise<void> {
  return writeAll(io.stdout, options.json ? `${JSON.stringify(json, null, 2)}\n` : text);
}
