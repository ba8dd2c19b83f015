import type { Case } from '../cases/case.js';
import { sha256, uniform } from '../hash.js';

/** Classes of the demo, by class index (spec 08 §23). */
export const DEMO_CLASSES = [
  'resource_leak',
  'no_progress_loop',
  'infeasible_config',
  'server_error',
  'dependency_outage',
  'kernel_pipeline_starvation',
  'budget_exhaustion',
  'state_corruption',
] as const;

/** Skills that a case may need. */
export const SKILLS = ['compare_baseline', 'earliest_event', 'rule_out_infra'] as const;

export type Skill = (typeof SKILLS)[number];

/** What decides a case of the demo, computed once. */
export interface DemoFacts {
  readonly classIndex: number;
  /** 2·H − 1: how hard it is, −1 to 1. */
  readonly difficulty: number;
  readonly needs: readonly Skill[];
  readonly wrongClass: string;
}

const COUNT = 320;
const NEED_SHARE = 0.3;

/** The 320 cases of the demo; equal for every seed. */
export function demoCases(): Case[] {
  return Array.from({ length: COUNT }, (_, k) => demoCase(k));
}

/** The hidden facts of a demo case by its id. */
export function demoFacts(caseId: string): DemoFacts {
  const known = facts.get(caseId);
  if (known !== undefined) return known;
  const classIndex = Number(caseId.slice(1)) % DEMO_CLASSES.length;
  const wrong = (classIndex + 1 + Math.floor(7 * uniform(`wrong|${caseId}`))) % DEMO_CLASSES.length;
  const made: DemoFacts = {
    classIndex,
    difficulty: 2 * uniform(`diff|${caseId}`) - 1,
    needs: SKILLS.filter((skill) => uniform(`need|${caseId}|${skill}`) < NEED_SHARE),
    wrongClass: DEMO_CLASSES[wrong] ?? DEMO_CLASSES[0],
  };
  facts.set(caseId, made);
  return made;
}

const facts = new Map<string, DemoFacts>();

function demoCase(k: number): Case {
  const case_id = `c${String(k).padStart(3, '0')}`;
  const expected = DEMO_CLASSES[k % DEMO_CLASSES.length] ?? DEMO_CLASSES[0];
  const input = { findings: [{ symptom: `simulated_${k}`, severity: 'high' }], context: {} };
  return {
    case_id,
    prompt_id: 'rca',
    group_id: case_id,
    segment: expected,
    weight: 1,
    input,
    expected: { class: expected, also_ok: [], must_cite: [], insufficient: false },
    source: 'generated',
    labelled_by: 'demo',
    created_at: '2026-01-01T00:00:00Z',
    sha256: sha256(JSON.stringify(input)),
  };
}
