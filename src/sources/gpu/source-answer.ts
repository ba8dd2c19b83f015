import type { CollectorReason, CollectorStatus } from '../snapshot.js';
import type { ToolOutcome } from '../tools/run-tool.js';
import type { ToolHolder } from './amd-smi.js';
import type { MergedListing } from './merge.js';

/** Why a source of GPU data did not answer. */
export interface SourceTrouble {
  readonly tool: string;
  readonly status: Extract<CollectorStatus, 'unknown' | 'timeout' | 'error'>;
  readonly reason: CollectorReason;
  readonly detail: string;
}

/** Everything that one vendor's sources said. */
export interface VendorAnswer {
  readonly listing: MergedListing | undefined;
  /** Holders as a tool lists them, ids per vendor; undefined when no tool answered. */
  readonly toolHolders: readonly ToolHolder[] | undefined;
  readonly lost: readonly string[];
  readonly troubles: readonly SourceTrouble[];
  /** Output that could not be parsed. */
  readonly raw: string | undefined;
}

/** What a tool run amounts to when no device could be read out of it. */
export function troubleOf(tool: string, outcome: ToolOutcome): SourceTrouble {
  switch (outcome.kind) {
    case 'timeout':
      return {
        tool,
        status: 'timeout',
        reason: 'deadline',
        detail: `no answer within ${Math.round(outcome.ms)} ms`,
      };
    case 'too_large':
      return { tool, status: 'error', reason: 'too_large', detail: 'printed more than the limit' };
    case 'not_started': {
      const reason = outcome.permission ? 'permission' : 'exception';
      return { tool, status: 'unknown', reason, detail: outcome.message };
    }
    default:
      return exited(tool, outcome);
  }
}

function exited(tool: string, outcome: Extract<ToolOutcome, { kind: 'exited' }>): SourceTrouble {
  const said = firstLine(outcome.stderr) || firstLine(outcome.stdout) || 'printed nothing';
  if (outcome.code === 0) return { tool, status: 'unknown', reason: 'bad_output', detail: said };
  const end = outcome.signal === null ? `exit ${outcome.code}` : `ended by ${outcome.signal}`;
  return { tool, status: 'unknown', reason: 'exit_nonzero', detail: `${end}: ${said}` };
}

function firstLine(output: string): string {
  return output.trim().split('\n', 1)[0]?.trim().slice(0, 200) ?? '';
}

/** What a tool printed, whatever its exit code; `''` when it did not come to its end: half a table is no list of devices. */
export function finishedOutput(outcome: ToolOutcome): string {
  return outcome.kind === 'exited' ? outcome.stdout : '';
}

/** A complete answer with an exit code that says otherwise: the answer counts, the code is noted (spec 02 §10.2 c). */
export function exitNote(tool: string, outcome: ToolOutcome): SourceTrouble[] {
  return outcome.kind === 'exited' && outcome.code === 0 ? [] : [troubleOf(tool, outcome)];
}
