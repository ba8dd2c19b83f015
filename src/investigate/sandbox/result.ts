import type { ErrorType } from '../model/error-type.js';

/** Kinds of fault that a program can show by itself (spec 07 A11). */
export const REPRODUCIBLE: readonly ErrorType[] = [
  'code_logic',
  'runtime_error',
  'null_pointer',
  'index_out_of_bounds',
  'race_condition',
  'parsing_error',
  'serialization_error',
];

/** What a reproduction gave (spec 07 A2, B13). */
export type SandboxResult = {
  readonly reproduced: boolean;
  readonly confirmed_file: string | null;
  readonly confirmed_line: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly exit_code: number;
  readonly repro_script: string;
  /** Runs by the harness, controls included; what a model ran by itself is not counted. */
  readonly attempts: number;
  readonly skip_reason: string | null;
  readonly verified: boolean;
  readonly driver: string | null;
};

/** A reproduction that was not tried, and why. */
export function skipped(reason: string, driver: string | null): SandboxResult {
  return {
    reproduced: false,
    confirmed_file: null,
    confirmed_line: null,
    stdout: '',
    stderr: '',
    exit_code: 0,
    repro_script: '',
    attempts: 0,
    skip_reason: reason,
    verified: false,
    driver,
  };
}
