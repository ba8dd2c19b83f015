import { classOf, type Family } from './families.js';
import type { Severity } from './finding.js';
import { displayKey } from './key.js';
import type { LabelledEpisode } from './labelled-episode.js';
import { type Arm, armOf, type Uplift, upliftOf, upliftScore } from './uplift.js';

/** One row of the ranking of actions: a pattern at a severity, with and without action. */
export interface UpliftCell extends Uplift {
  /** Readable pattern. */
  readonly pattern: string;
  readonly pattern_key: string;
  readonly family: Family | null;
  readonly severity: Severity;
  /** The actions that were taken, as `prune_branch sweep`. */
  readonly actions: readonly string[];
  readonly treated: Arm;
  readonly untreated: Arm;
  /** Judged prunes after which other work succeeded; null when none could be judged. */
  readonly useful: number | null;
  /** Lower end of the interval × severity weight. */
  readonly score: number;
  /** False when an arm of the cell is empty: then the family's rate stands in for it. */
  readonly overlap: boolean;
  /** Whether held-back prunes made the comparison a randomised one. */
  readonly randomised: boolean;
}

interface Labelled {
  readonly y: 0 | 1;
  readonly treated: boolean;
  readonly weight: number;
  readonly randomised: boolean;
  readonly labelled: LabelledEpisode;
}

/**
 * Uplift per pattern and severity, shrunk to the family of spec 06 F.9, best first; only cells in which something was done.
 * Where prunes were held back at random, only those episodes count, by inverse propensity.
 */
export function upliftTable(episodes: readonly LabelledEpisode[]): UpliftCell[] {
  const usable = episodes.flatMap(usableLabel);
  const cells = groupBy(usable, ({ labelled }) => `${labelled.episode.pattern}\n${labelled.label.severity}`);
  const families = groupBy(usable, familyKey);
  const table: UpliftCell[] = [];
  for (const members of cells.values()) {
    const first = members[0];
    if (first === undefined || !members.some((one) => one.treated)) continue;
    table.push(cellOf(first, members, families.get(familyKey(first)) ?? []));
  }
  return table.sort((a, b) => b.score - a.score);
}

function cellOf(first: Labelled, all: readonly Labelled[], family: readonly Labelled[]): UpliftCell {
  const { episode, label } = first.labelled;
  const randomised = all.some((one) => one.randomised);
  const members = randomised ? all.filter((one) => one.randomised) : all;
  const arms = {
    treated: armOf(members.filter((one) => one.treated)),
    untreated: armOf(members.filter((one) => !one.treated)),
  };
  const uplift = upliftOf(arms, {
    treated: armOf(family.filter((one) => one.treated)),
    untreated: armOf(family.filter((one) => !one.treated)),
  });
  const useful = members.flatMap(({ labelled }) => labelled.label.useful ?? []);
  return {
    ...uplift,
    ...arms,
    pattern: displayKey(episode.pattern),
    pattern_key: episode.pattern,
    family: classOf(episode.symptom).family,
    severity: label.severity,
    actions: [...new Set(members.flatMap(({ labelled }) => labelled.label.action ?? []))],
    useful: useful.length === 0 ? null : useful.filter(Boolean).length,
    score: upliftScore(uplift, label.severity),
    overlap: arms.treated.n > 0 && arms.untreated.n > 0,
    randomised,
  };
}

function usableLabel(labelled: LabelledEpisode): Labelled[] {
  const { y, treated, from } = labelled.label;
  if (y === null || treated === null) return [];
  const { holdback } = from;
  const inExperiment = holdback !== null && (holdback.held ? !treated : treated);
  const chance = holdback === null ? 1 : holdback.held ? holdback.propensity : 1 - holdback.propensity;
  return [{ y, treated, weight: inExperiment ? 1 / chance : 1, randomised: inExperiment, labelled }];
}

/** Symptoms without a family shrink to their own kind. */
function familyKey({ labelled }: Labelled): string {
  return classOf(labelled.episode.symptom).family ?? labelled.episode.symptom;
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const list = groups.get(key);
    if (list === undefined) groups.set(key, [item]);
    else list.push(item);
  }
  return groups;
}
