import { resolve } from 'node:path';
import type { ReactorContext } from '../context.js';
import { parsePrompt } from '../prompt/parse-prompt.js';
import type { TickRequest } from './parse-request.js';

export interface RequestContext {
  readonly context: ReactorContext;
  readonly warnings: readonly string[];
}

/**
 * What a request tells the rules.
 *
 * @param wallClock unix s; takes the place of a clock that the request does not have (spec 03 G-11)
 */
export function requestContext(request: TickRequest, sessionDir: string, wallClock: number): RequestContext {
  const prompt = parsePrompt(request.rawPrompt);
  const { warnings, session_dir_line: named, ...parsed } = prompt;
  return {
    context: {
      session_id: request.sessionId,
      session_dir: sessionDir,
      tick_index: request.tickIndex,
      now_unix: request.nowUnix ?? wallClock,
      ...parsed,
    },
    warnings: [...warnings, ...otherSession(named, sessionDir)],
  };
}

function otherSession(named: string, sessionDir: string): string[] {
  if (named === '' || resolve(named) === resolve(sessionDir)) return [];
  return [`the prompt names the session directory ${named}, in use is ${sessionDir}`];
}
