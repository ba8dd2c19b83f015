import { targetsIncident } from '../actions/catalogue.js';
import { applyPatch } from '../actions/patch.js';
import {
  oncePerConfiguration,
  retryWhenRelatedKnobChanged,
  type TriedAction,
} from '../actions/retry-rule.js';
import type { SystemUnderTest } from '../adapters/system.js';
import type { AaCheck } from '../experiment/aa-check.js';
import { pairedOutcome } from '../experiment/outcome.js';
import type { TraceEvent } from '../trace/event.js';
import type {
  Catalogue,
  Config,
  LoopIncident,
  PastAttempt,
  Prioritizer,
  Propose,
  RankContext,
  Ranking,
} from '../types.js';
import { type ChosenAttempt, chooseAttempt } from './choose-attempt.js';
import { discover } from './discover.js';
import type { Judge, Judgement } from './judge.js';
import { pairedJudge } from './paired-judge.js';
import type { Iteration, LoopEnd, RunResult } from './run-result.js';
import type { LoopSettings } from './settings.js';
import { zJudge } from './z-judge.js';

/** The parts that a run is made of; the loop itself knows none of them. */
export interface LoopParts<I extends LoopIncident> {
  readonly system: SystemUnderTest;
  readonly catalogue: Catalogue;
  readonly score: (events: readonly TraceEvent[]) => readonly I[];
  readonly prioritizer: Prioritizer<I>;
  readonly propose: Propose<I>;
  /** Knob that cures a class, where that is known (the simulator). */
  readonly groundTruth?: ReadonlyMap<string, string>;
  /** The check of the harness, when there was one. */
  readonly aa?: AaCheck;
  /** Remarks of the parts for the report; read when the run is over. */
  readonly notes?: () => readonly string[];
  readonly onProgress?: (progress: LoopProgress) => void;
}

/** What a watcher of a run may show. */
export type LoopProgress =
  | {
      readonly stage: 'discovery' | 'attempt';
      readonly index: number;
      readonly of: number;
      readonly what: string;
    }
  | { readonly stage: 'verdict'; readonly iteration: Iteration }
  | { readonly stage: 'headline' };

/**
 * The remediation loop (06 C.1 with F.3–F.5, F.7.9): discover, rank, propose, experiment, keep or drop, learn; at last the
 * original against the final configuration.
 *
 * @throws SystemFailure when the system cannot be run at all
 */
export async function runLoop<I extends LoopIncident>(
  parts: LoopParts<I>,
  settings: LoopSettings,
): Promise<RunResult> {
  const judge = settings.gate === 'z' ? zJudge(parts.system, settings) : pairedJudge(parts.system, settings);
  const state = new LoopState(parts.catalogue.config);
  const end = await iterate(parts, settings, judge, state);
  parts.onProgress?.({ stage: 'headline' });
  const headline = await judge.headline(parts.catalogue.config, state.config);
  if (headline.note !== null) state.notes.push(headline.note);
  const accepted = state.iterations.filter((iteration) => iteration.accepted);
  return {
    gate: settings.gate,
    streams: settings.streams,
    seed: settings.seed,
    alpha: settings.alpha,
    max_iters: settings.max_iters,
    max_pairs: settings.max_pairs,
    overall: headline.overall,
    accepted: accepted.map((iteration) => iteration.action_id),
    precision: accepted.length === 0 ? 0 : accepted.filter((i) => i.right_lever).length / accepted.length,
    baseline_config: parts.catalogue.config,
    final_config: state.config,
    iterations: state.iterations,
    prioritizer_metrics: parts.prioritizer.metrics(),
    final_regime: parts.prioritizer.regime(),
    confirmation: headline.confirmation,
    aa: parts.aa ?? null,
    end,
    notes: [...state.notes, ...(parts.notes?.() ?? [])],
  };
}

/** What changes while a run goes on. */
class LoopState {
  config: Config;
  readonly iterations: Iteration[] = [];
  readonly tried: TriedAction[] = [];
  readonly history: PastAttempt[] = [];
  readonly notes: string[] = [];

  constructor(config: Config) {
    this.config = config;
  }
}

async function iterate<I extends LoopIncident>(
  parts: LoopParts<I>,
  settings: LoopSettings,
  judge: Judge,
  state: LoopState,
): Promise<LoopEnd> {
  const { catalogue, prioritizer, propose } = parts;
  const mayTry =
    settings.gate === 'z' ? oncePerConfiguration : retryWhenRelatedKnobChanged(catalogue.actions);
  for (let k = 1; k <= settings.max_iters; k += 1) {
    parts.onProgress?.({
      stage: 'discovery',
      index: k,
      of: settings.max_iters,
      what: 'looking for failures',
    });
    const { events, lost } = await discover(parts.system, settings, state.config);
    if (lost > 0) {
      state.notes.push(`Discovery of attempt ${k} lost ${lost} of ${settings.discovery_runs} runs.`);
    }
    const incidents = parts.score(events);
    if (incidents.length === 0) return 'no_incidents';
    const ranking = prioritizer.rank(incidents, rankContext(catalogue, settings.max_iters - k + 1));
    const context = {
      catalogue,
      config: state.config,
      tried: state.tried,
      history: state.history,
      mayTry,
      propose,
    };
    const chosen = await chooseAttempt(ranking.ranked, context);
    if (chosen === null) return 'converged';
    parts.onProgress?.({ stage: 'attempt', index: k, of: settings.max_iters, what: chosen.action.action_id });
    const treatment = applyPatch(state.config, chosen.patch);
    const judgement = await judge.attempt(k, state.config, treatment, chosen.incident.failure_classification);
    conclude(parts, state, k, chosen, ranking, judgement, treatment);
  }
  return 'max_iters';
}

/** Books an attempt everywhere: prioritizer, history, report, and the configuration itself. */
function conclude<I extends LoopIncident>(
  parts: LoopParts<I>,
  state: LoopState,
  k: number,
  chosen: ChosenAttempt<I>,
  ranking: Ranking<I>,
  judgement: Judgement,
  treatment: Config,
): void {
  const { incident, patch } = chosen;
  const { verdict, pairs } = judgement;
  const accepted = verdict === 'accept';
  const figures = pairedOutcome(pairs, judgement.paired);
  // An experiment that went wrong taught nothing about the fix.
  if (verdict !== 'invalid') {
    const { action_id } = patch;
    parts.prioritizer.record({ incident, action_id, accepted, verdict, config: state.config, ...figures });
  }
  const iteration = iterationOf(parts, k, chosen, ranking, judgement);
  state.iterations.push(iteration);
  state.tried.push({ action_id: patch.action_id, config: state.config, verdict });
  state.history.push({
    pattern_id: incident.pattern_id,
    action_id: patch.action_id,
    patch,
    verdict,
    effect: figures.gain,
  });
  if (accepted) state.config = treatment;
  parts.prioritizer.refit();
  parts.onProgress?.({ stage: 'verdict', iteration });
}

function iterationOf<I extends LoopIncident>(
  parts: LoopParts<I>,
  index: number,
  chosen: ChosenAttempt<I>,
  ranking: Ranking<I>,
  judgement: Judgement,
): Iteration {
  const { incident, proposal, patch } = chosen;
  const { paired, verdict } = judgement;
  const known = parts.groundTruth;
  const byTable = known === undefined ? null : known.get(incident.failure_classification) === patch.knob;
  const byGain = verdict === 'accept' && (paired?.attribution ?? 0) >= 0.5;
  return {
    index,
    incident: incident.display_name,
    pattern_id: incident.pattern_id,
    classification: incident.failure_classification,
    action_id: patch.action_id,
    patch,
    rationale: proposal.rationale,
    regime: ranking.regime,
    source: proposal.source,
    verdict,
    accepted: verdict === 'accept',
    reason: judgement.reason,
    ground_truth_correct: byTable,
    right_lever: paired === null ? byTable === true : byGain,
    ...judgement.comparison,
    paired,
  };
}

function rankContext<I extends LoopIncident>(catalogue: Catalogue, remaining: number): RankContext<I> {
  const costOf = (incident: I): number => {
    const costs = catalogue.actions
      .filter((action) => targetsIncident(action, incident))
      .map((action) => action.cost ?? 1);
    return costs.length === 0 ? 1 : Math.min(...costs);
  };
  return { costOf, remaining };
}
