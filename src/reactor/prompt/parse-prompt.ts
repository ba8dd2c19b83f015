import { splitLines, trimPython } from '../../foreign/python-space.js';
import type { ConversationProgress, InboxItem, PhaseBudgetRow, SharedState } from '../context.js';
import { parseConversationProgress, parsePhase, parsePhaseBudget, parseTimeBudget } from './blocks.js';
import { parseInbox } from './inbox.js';
import { type SectionName, splitSections } from './sections.js';
import { parseSharedState } from './shared-state.js';

/** The prompt as data, and what could not be read of it. */
export interface ParsedPrompt {
  readonly phase: string;
  readonly shared_state: SharedState;
  readonly phase_budget: readonly PhaseBudgetRow[];
  readonly conversation_progress: ConversationProgress | null;
  readonly inbox: readonly InboxItem[];
  /** The session directory that the prompt names; empty when it names none. */
  readonly session_dir_line: string;
  readonly warnings: readonly string[];
}

/** Parses the Coordinator's prompt (spec 01 §2). Never throws: what is missing has its default, what is odd a warning. */
export function parsePrompt(prompt: string): ParsedPrompt {
  const { bodies, preamble, renderedState } = splitSections(splitLines(prompt));
  const body = (name: SectionName) => bodies.get(name) ?? [];
  const inbox = parseInbox(body('inbox'));
  const nothing = bodies.size === 0 ? ['the prompt has no recognised section'] : [];
  return {
    phase: parsePhase(body('phase')),
    shared_state: {
      ...parseSharedState(renderedState, body('shared_state')),
      ...parseTimeBudget(body('time_budget')),
    },
    phase_budget: parsePhaseBudget(body('phase_budget')),
    conversation_progress: parseConversationProgress(body('conversation_progress')),
    inbox: inbox.items,
    session_dir_line: sessionDirLine(preamble),
    warnings: [...inbox.warnings, ...nothing],
  };
}

function sessionDirLine(preamble: readonly string[]): string {
  const line = preamble.find((candidate) => candidate.startsWith('SESSION_DIR='));
  return line === undefined ? '' : trimPython(line.slice('SESSION_DIR='.length));
}
