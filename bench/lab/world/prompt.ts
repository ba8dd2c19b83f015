import type { JsonObject } from '../../../src/foreign/json.js';
import { pythonRepr } from '../../../src/foreign/python-text.js';
import type { BusMessage, CoordinatorFacts } from './types.js';
import type { LabWorld } from './world.js';

const NEVER_SHOWN = new Set(['critic', 'orchestration', 'kernel_agent']);

/** The prompt that the Coordinator renders for this role (spec 01 §2.10), with every message since the last one. */
export function renderLabPrompt(world: LabWorld): string {
  const { coordinator: facts, bus, shownSeq } = world;
  const inbox = bus.filter(({ seq, to }) => seq > shownSeq && !NEVER_SHOWN.has(to));
  world.shownSeq = bus.at(-1)?.seq ?? shownSeq;
  const header = `=== Inbox for robustness${inbox.length === 0 ? '' : ' (newest last)'} ===`;
  return [
    `SESSION_DIR=${world.sessionDir}`,
    ...phaseLines(facts),
    ...budgetLines(world),
    ...stateLines(world),
    '=== Phase budget telemetry ===',
    ...phaseRows(facts),
    '=== Conversation progress ===',
    ...progressLines(facts),
    header,
    ...(inbox.length === 0 ? ['(no new messages)'] : inbox.map(inboxLine)),
    '',
  ].join('\n');
}

function phaseLines({ phase, macroCycle }: CoordinatorFacts): string[] {
  return [
    '=== Phase ===',
    `phase     : ${phase}`,
    `cycle     : ${macroCycle}`,
    'allowed   : baseline, explore, specialist, conc_sweep, kernel_opt, integrate',
  ];
}

function budgetLines({ coordinator: facts, now }: LabWorld): string[] {
  if (facts.budgetMinutes === 0) return [];
  const elapsed = (now - facts.startedAt) / 60;
  const remaining = Math.max(0, facts.budgetMinutes - elapsed + facts.remainingOffset);
  const closing = facts.closing ? 'True' : 'False';
  return [
    '=== Time budget ===',
    `elapsed=${elapsed.toFixed(1)}min  remaining=${remaining.toFixed(1)}min  budget=${facts.budgetMinutes}min  closing_phase=${closing}`,
  ];
}

function stateLines({ coordinator: facts, sessionId }: LabWorld): string[] {
  return [
    '=== Shared session state ===',
    `session_id=${sessionId}`,
    `model=${facts.model}  class=${facts.modelClass}`,
    `baseline_tput=${facts.baselineTput.toFixed(1)}  baseline_acc=0.0`,
    'baseline_failure_streak=0',
    `current_best=${facts.stack.length === 0 ? '(none)' : pythonRepr({ action: 'explore', tput: facts.baselineTput * (1 + facts.gainPct / 100) })}`,
    `optimization_stack=${facts.stack.length === 0 ? '(none)' : pythonRepr(facts.stack)}`,
    `cumulative_gain_validated=${facts.gainPct.toFixed(2)}% (stack_len_at_validation=${facts.stack.length}, ts=-)`,
    'last_sweep=(none)',
    `current_action=${facts.currentAction}`,
    `crash_count=${facts.crashCount}`,
    `pruned_families=${facts.prunedFamilies.length === 0 ? '(none)' : pythonRepr(facts.prunedFamilies)}`,
    'last_profile_status=(none)',
    'params_no_promote_streak=0',
    `has_keep_pending_integrate=${facts.keepPending}`,
    `kernel_opt_attempts_count=${facts.kernelAttempts}`,
    `last_explore=${facts.lastExplore}`,
    'attempts_history=baseline:1(s1,f0)',
    `last_action_failures=${facts.lastFailures}`,
    ...facts.extraLines,
    `tick=${facts.tick}  target_gap_pct=0.00`,
    `macro_cycle=${facts.macroCycle}`,
    `stop_reason=${facts.stopReason === '' ? '(none)' : facts.stopReason}`,
    `closing_phase=${facts.closing ? 'True' : 'False'}  closing_started_unix=0.0  closing_report_task_id=(none)`,
  ];
}

function phaseRows({ phases }: CoordinatorFacts): string[] {
  if (phases.length === 0) return ['(no phase history yet)'];
  return phases.map(({ phase, elapsedS, capS }) => {
    const cap = capS < 0 ? 'unlimited' : `${Math.round(capS)}s`;
    const used = capS > 0 ? Math.round((elapsedS / capS) * 100) : 0;
    return `  ${phase}: elapsed=${Math.round(elapsedS)}s cap=${cap} used=${used}%`;
  });
}

function progressLines(facts: CoordinatorFacts): string[] {
  const { ticksWithoutProgress: ticks, progressThreshold: threshold, lastProgressTick } = facts;
  const severity = ticks >= threshold ? 'high' : 'ok';
  const line = `ticks_without_progress=${ticks} threshold=${threshold} severity=${severity} last_progress_tick=${lastProgressTick}`;
  return severity === 'high' ? [line, 'WARNING: no progress; consider a change of strategy'] : [line];
}

function inboxLine(message: BusMessage): string {
  const { seq, msgId, from, topic, payload } = message;
  return `  seq=${seq} msg_id=${msgId} from=${from} topic=${topic} ${tailOf(topic, payload)}`;
}

/** Results and verdicts are rendered without their payload (spec 01 §2.10, row shapes). */
function tailOf(topic: string, payload: JsonObject): string {
  if (topic === 'delegated_result') {
    const error = payload['error'];
    const tail = `kind=${pythonRepr(payload['kind'] ?? null)} state=${pythonRepr(payload['state'] ?? null)}`;
    return typeof error === 'string' ? `${tail} error=${pythonRepr(error.slice(0, 200))}` : tail;
  }
  if (topic === 'review_verdict') {
    const of = (key: string) => pythonRepr(payload[key] ?? null);
    return `target=${of('target_proposal_msg_id')} verdict=${of('verdict')} reasoning=${of('reasoning')}`;
  }
  const kind = payload['kind'];
  const head = topic === 'observation' && typeof kind === 'string' ? `kind=${pythonRepr(kind)} ` : '';
  return `${head}payload=${pythonRepr(payload)}`;
}
