import { type ConfidenceLevel, lowerOf, rankOf } from '../../../../src/investigate/model/confidence.js';
import type { HealResult } from '../../../../src/investigate/model/heal-result.js';
import type { SandboxDriver } from '../../../../src/investigate/sandbox/box.js';
import type { ChatModel } from '../../../../src/llm/chat.js';
import { scripted } from '../../loop/scripted-model.js';
import { play } from './play.js';
import type { Scene, Truth } from './scene.js';

/** One made-up fault, answered by the rules alone and by a model, and judged part by part (spec 07 B16.8). */
export interface MadeRow {
  readonly name: string;
  readonly trap: string | null;
  readonly honest: ConfidenceLevel;
  /** What the rules alone claim. */
  readonly rules: ConfidenceLevel;
  readonly rulesRight: boolean;
  /** The highest band that the rules could honestly have: what the script claims is not theirs. */
  readonly rulesHonest: ConfidenceLevel;
  readonly level: ConfidenceLevel;
  readonly confidence: number;
  readonly isRight: boolean;
  readonly calls: number;
  readonly tokens: number;
  readonly seconds: number;
}

export interface MadeSummary {
  readonly scenes: number;
  readonly atHigh: number;
  /** Those of them that are right and where the evidence earns it. */
  readonly rightAtHigh: number;
  /** Right answers at HIGH among those that could get there. */
  readonly coverageAtHigh: number;
  /** Answers above the highest honest band. */
  readonly overclaims: number;
  /** The same of the rules alone, which never claim HIGH. */
  readonly rulesOverclaims: number;
  readonly rulesAtHigh: number;
  readonly rulesRight: number;
  /** Mean squared distance of confidence from right (1) and wrong (0). */
  readonly brier: number;
}

/** Plays scenes; with their own scripts unless a model is given, which plays those whose trap lies in the world. */
export async function judgeScenes(
  scenes: readonly Scene[],
  driver: SandboxDriver | null,
  model: ChatModel | null = null,
): Promise<MadeRow[]> {
  const rows: MadeRow[] = [];
  for (const scene of scenes) {
    if (model !== null && !scene.isInWorld) continue;
    if (scene.needsSandbox && driver === null) continue;
    const begun = performance.now();
    const rules = await play(scene, { model: null, driver });
    const result = await play(scene, { model: model ?? scripted(scene.script), driver });
    rows.push(rowOf(scene, rules, result, (performance.now() - begun) / 1000));
  }
  return rows;
}

function rowOf(scene: Scene, rules: HealResult, result: HealResult, seconds: number): MadeRow {
  const { name, trap, honest, truth } = scene;
  return {
    name,
    trap,
    honest,
    rules: rules.root_cause.confidence_level,
    rulesRight: isRight(rules, truth),
    rulesHonest: scene.isInWorld ? lowerOf(honest, 'medium') : 'medium',
    level: result.root_cause.confidence_level,
    confidence: result.root_cause.confidence,
    isRight: isRight(result, truth),
    calls: result.budget.tool_calls,
    tokens: result.budget.input_tokens + result.budget.output_tokens,
    seconds,
  };
}

function isRight({ root_cause: cause }: HealResult, { types, subject, file, line }: Truth): boolean {
  const isType = types.includes(cause.error_type);
  const isPlace = file === null || (cause.file_path === file && cause.line_number === line);
  return isType && cause.subject === subject && isPlace;
}

export function summariseScenes(rows: readonly MadeRow[]): MadeSummary {
  const high = rows.filter(({ level }) => level === 'high');
  const earnable = rows.filter(({ honest }) => honest === 'high');
  const isEarned = (row: MadeRow): boolean => row.isRight && row.honest === 'high';
  return {
    scenes: rows.length,
    atHigh: high.length,
    rightAtHigh: high.filter(isEarned).length,
    coverageAtHigh: earnable.length === 0 ? 0 : high.filter(isEarned).length / earnable.length,
    overclaims: rows.filter(({ level, honest }) => rankOf(level) > rankOf(honest)).length,
    rulesOverclaims: rows.filter(({ rules, rulesHonest }) => rankOf(rules) > rankOf(rulesHonest)).length,
    rulesAtHigh: rows.filter(({ rules }) => rules === 'high').length,
    rulesRight: rows.filter(({ rulesRight }) => rulesRight).length,
    brier:
      rows.reduce((sum, row) => sum + (row.confidence - (row.isRight ? 1 : 0)) ** 2, 0) /
      Math.max(1, rows.length),
  };
}

/** Why an evaluation does not pass; a precision at HIGH of nothing is none (spec 07 B16.8). */
export function gateProblems(summary: MadeSummary): string[] {
  const { atHigh, rightAtHigh, overclaims, rulesAtHigh, rulesOverclaims } = summary;
  return [
    ...(atHigh === 0 ? ['no answer reached HIGH, so there is no precision at HIGH'] : []),
    ...(rightAtHigh < atHigh ? [`${atHigh - rightAtHigh} of ${atHigh} answers at HIGH are wrong`] : []),
    ...(overclaims > 0 ? [`${overclaims} answers are above the highest honest band`] : []),
    ...(rulesAtHigh > 0 ? [`the rules alone claimed HIGH ${rulesAtHigh} times`] : []),
    ...(rulesOverclaims > 0 ? [`the rules alone overclaimed ${rulesOverclaims} times`] : []),
  ];
}
