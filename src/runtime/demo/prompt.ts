import type { Json } from '../../foreign/json.js';
import { pythonRepr } from '../../foreign/python-text.js';

/** A bus message as the inbox shows it. */
export interface InboxRow {
  readonly seq: number;
  readonly msgId: string;
  readonly from: string;
  readonly topic: string;
  readonly payload: Json;
}

export interface PromptFacts {
  readonly sessionDir: string;
  readonly sessionId: string;
  readonly tick: number;
  readonly phase: string;
  readonly elapsedMinutes: number;
  readonly budgetMinutes: number;
  readonly gainPercent: number;
  readonly currentAction: string;
  readonly ticksWithoutProgress: number;
  readonly inbox: readonly InboxRow[];
  /** Raw tail of the last failure, as the Coordinator prints it. */
  readonly lastFailure: string;
}

/** The prompt that a Coordinator renders for this role (spec 01 §2.10), so that the demo's ticks read what real ones read. */
export function renderPrompt(facts: PromptFacts): string {
  const remaining = Math.max(0, facts.budgetMinutes - facts.elapsedMinutes);
  const inboxHeader =
    facts.inbox.length === 0 ? '=== Inbox for robustness ===' : '=== Inbox for robustness (newest last) ===';
  const lines = [
    `SESSION_DIR=${facts.sessionDir}`,
    '=== Phase ===',
    `phase     : ${facts.phase}`,
    'cycle     : 0',
    'allowed   : explore, specialist, conc_sweep',
    '=== Time budget ===',
    `elapsed=${facts.elapsedMinutes.toFixed(1)}min  remaining=${remaining.toFixed(1)}min  budget=${facts.budgetMinutes}min  closing_phase=False`,
    '=== Shared session state ===',
    `session_id=${facts.sessionId}`,
    'model=Demo-MoE-30B  class=moe',
    'baseline_tput=2184.6  baseline_acc=0.812',
    'baseline_failure_streak=0',
    'optimization_stack=(none)',
    `cumulative_gain_validated=${facts.gainPercent}% (stack_len_at_validation=0, ts=-)`,
    'last_sweep=(none)',
    `current_action=${facts.currentAction}`,
    'crash_count=0',
    'pruned_families=(none)',
    'has_keep_pending_integrate=false',
    'kernel_opt_attempts_count=0',
    'last_explore=(none)',
    'attempts_history=baseline:1(s1,f0)',
    `last_action_failures=${facts.lastFailure}`,
    `tick=${facts.tick}  target_gap_pct=8.00`,
    'macro_cycle=0',
    'stop_reason=(none)',
    'closing_phase=False  closing_started_unix=0.0  closing_report_task_id=(none)',
    '=== Conversation progress ===',
    `ticks_without_progress=${facts.ticksWithoutProgress} threshold=15 severity=ok last_progress_tick=${facts.tick - facts.ticksWithoutProgress}`,
    inboxHeader,
    ...(facts.inbox.length === 0 ? ['(no new messages)'] : facts.inbox.map(inboxLine)),
  ];
  return `${lines.join('\n')}\n`;
}

function inboxLine({ seq, msgId, from, topic, payload }: InboxRow): string {
  return `  seq=${seq} msg_id=${msgId} from=${from} topic=${topic} payload=${pythonRepr(payload)}`;
}
