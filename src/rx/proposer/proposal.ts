/** One action of the catalogue, chosen for one incident (spec 06 B.4). */
export interface Proposal {
  readonly action_id: string;
  readonly rationale: string;
  readonly source: 'heuristic' | 'llm';
  /** Why a model was asked and not followed; absent when there is nothing to say. */
  readonly note?: string;
}
