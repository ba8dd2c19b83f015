import { sha256 } from '../hash.js';
import type { Executor } from './executor.js';

/** The text that is sent for a prompt whose use adds something to it. */
export function withTail(prompt: string, tail: string): string {
  return tail === '' ? prompt : `${prompt.trimEnd()}\n\n${tail}`;
}

/** An executor that sends every prompt with the same text behind it, which belongs to its fingerprint. */
export function tailedExecutor(executor: Executor, tail: string): Executor {
  if (tail === '') return executor;
  const whole = (prompt: string): string => withTail(prompt, tail);
  return {
    ...executor,
    fingerprint: `${executor.fingerprint} ${sha256(tail).slice(0, 12)}`,
    answer: (prompt, testCase, replicate) => executor.answer(whole(prompt), testCase, replicate),
    worstCaseUsd: (prompt, testCase) => executor.worstCaseUsd(whole(prompt), testCase),
    likelyUsd: (prompt, testCase) => executor.likelyUsd(whole(prompt), testCase),
  };
}
