import { appendFile, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { generateDataset, labelledRows } from '../../../src/rx/learner/dataset.js';
import {
  appendOutcomeSync,
  appendOutcomes,
  modelPath,
  outcomesPath,
  readMemory,
  writeModel,
} from '../../../src/rx/learner/memory.js';
import { toModelFile } from '../../../src/rx/learner/model-file.js';
import type { OutcomeRow } from '../../../src/rx/learner/outcome-row.js';
import { expectedValue, trainModel } from '../../../src/rx/learner/trained-model.js';

const rows = labelledRows(
  generateDataset({ episodes: 20, streams: 'reference', seeds: 'disjoint' }),
  'paired',
);
const model = trainModel(rows, 0);
if (model === null) throw new Error('no model');

const outcome: OutcomeRow = {
  timestamp_unix: 1,
  source: 'loop',
  session_id: 's',
  pattern_id: 'p',
  feature_schema_version: 'trace-1',
  features: rows[0]?.features ?? [],
  action_id: 'a',
  config_hash: 'c',
  n_pairs: 10,
  d_sum: 4,
  p_exact: 0.25,
  log_e: null,
  gain: 0.1,
  gain_se: null,
  label: 1,
  propensity: 1,
};

let stateDir: string;
beforeEach(async () => {
  stateDir = join(await mkdtemp(join(tmpdir(), 'rx-memory-')), 'state');
});
afterEach(() => rm(join(stateDir, '..'), { recursive: true, force: true }));

describe('memory', () => {
  it('is empty before the first run', async () => {
    expect(await readMemory(stateDir)).toEqual({ outcomes: [], torn_lines: 0, model: null });
  });

  it('gives back what was written, in private files', async () => {
    await appendOutcomes(stateDir, [outcome]);
    appendOutcomeSync(stateDir, { ...outcome, label: 0 });
    await writeModel(stateDir, toModelFile(model, 'hash'));
    const memory = await readMemory(stateDir);
    expect(memory.outcomes).toEqual([outcome, { ...outcome, label: 0 }]);
    const features = rows[3]?.features ?? [];
    expect(memory.model && expectedValue(memory.model, features)).toBe(expectedValue(model, features));
    for (const path of [outcomesPath(stateDir), modelPath(stateDir)]) {
      expect((await stat(path)).mode & 0o777).toBe(0o600);
    }
  });

  it('counts torn lines and reads the others', async () => {
    await appendOutcomes(stateDir, [outcome]);
    await appendFile(outcomesPath(stateDir), '{"source":"elsewhere"}\n{"source": "loop", "feat');
    await appendOutcomes(stateDir, [outcome]);
    expect(await readMemory(stateDir)).toMatchObject({ torn_lines: 2, outcomes: [outcome, outcome] });
  });

  it.each([
    ['of another feature schema', { feature_schema_version: 'findings-1' }, 'not trace-1'],
    ['of an unknown format', { schema_version: 2 }, 'unknown format'],
    ['with a missing weight', { weights: [1, 2] }, 'damaged'],
    ['with a broken calibration', { calibration: { kind: 'isotonic', knots: [[1]] } }, 'damaged'],
  ])('refuses a model %s with a reason', async (_, patch, reason) => {
    await writeModel(stateDir, toModelFile(model, 'hash'));
    await writeFile(modelPath(stateDir), JSON.stringify({ ...toModelFile(model, 'hash'), ...patch }));
    const memory = await readMemory(stateDir);
    expect(memory.model).toBeNull();
    expect(memory.model_problem).toContain(reason);
  });

  it('refuses a torn model file', async () => {
    await writeModel(stateDir, toModelFile(model, 'hash'));
    await writeFile(modelPath(stateDir), '{"schema_version": 1,');
    expect((await readMemory(stateDir)).model_problem).toBe('model file has an unknown format');
  });
});
