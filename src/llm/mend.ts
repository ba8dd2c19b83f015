import type { ChatRequest, Provider } from './chat.js';
import type { ErrorBody } from './error-body.js';
import type { LlmFailure } from './failure.js';
import { type EndpointMemory, learnFromRefusal } from './quirks.js';
import { shareThatFits, shrinkRequest } from './shrink.js';

/** How often a request was mended already; counted up here. */
export interface Mended {
  parameters: number;
  hasShrunk: boolean;
}

export interface MendContext {
  readonly memory: EndpointMemory;
  /** Endpoint and model, the memory's key. */
  readonly key: string;
  readonly provider: Provider;
  readonly mended: Mended;
}

export interface RefusedAttempt {
  readonly ok: boolean;
  readonly failure: LlmFailure;
  readonly said?: ErrorBody;
  /** Body keys that were sent. */
  readonly keys: readonly string[];
}

const MOST_PARAMETERS = 2;

/**
 * The request to send instead, or null. What the endpoint objects to by name is learnt and left out or renamed; what is too
 * long is shortened, once.
 */
export function mendRequest(
  request: ChatRequest,
  refused: RefusedAttempt,
  context: MendContext,
): ChatRequest | null {
  const { failure, said } = refused;
  const { mended, memory, key, provider } = context;
  if (!said) return null;
  if (failure.reason === 'context_overflow' && !mended.hasShrunk) {
    mended.hasShrunk = true;
    return shrinkRequest(request, shareThatFits(said.message));
  }
  if (failure.reason !== 'bad_request' || mended.parameters >= MOST_PARAMETERS) return null;
  const lesson = learnFromRefusal(said, refused.keys);
  // The other name exists in one of the two protocols only.
  if (!lesson || (provider === 'anthropic' && lesson.outputLimit)) return null;
  mended.parameters += 1;
  memory.learn(key, lesson);
  return request;
}
