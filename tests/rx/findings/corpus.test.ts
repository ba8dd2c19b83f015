import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { analyzeFindings } from '../../../src/rx/findings/analyze.js';
import { displayKey, sessionKey } from '../../../src/rx/findings/key.js';
import { type LabelledSession, labelSession } from '../../../src/rx/findings/labelled-episode.js';
import { locateSessions, readSession } from '../../../src/rx/findings/session.js';
import { EFFECTIVE, type TrueLabel, writeCorpus } from '../../support/rx-findings-corpus.js';

const roots: string[] = [];
afterAll(() => {
  for (const root of roots) rmSync(root, { recursive: true, force: true });
});

async function corpus(
  sessions: number,
  seed: number,
): Promise<{ truths: TrueLabel[]; labelled: LabelledSession[] }> {
  const root = mkdtempSync(join(tmpdir(), 'rx-corpus-'));
  roots.push(root);
  const truths = writeCorpus(root, sessions, seed);
  const labelled: LabelledSession[] = [];
  for (const location of await locateSessions(root))
    labelled.push(await labelSession(await readSession(location)));
  return { truths, labelled };
}

const { truths, labelled } = await corpus(200, 1);
const analysis = analyzeFindings(labelled);

/** The label that rx gave the episode which the generator made at this tick. */
function foundLabel(truth: TrueLabel) {
  const session = labelled.find((one) => one.session_id === truth.session_id);
  const key = sessionKey(truth.symptom, truth.subject);
  return session?.episodes.find(({ episode, label }) => episode.key === key && label.from.tick === truth.tick)
    ?.label;
}

describe('a generated corpus of 200 sessions', () => {
  it('finds every episode, and whether it was acted on', () => {
    for (const truth of truths) expect(foundLabel(truth)?.treated).toBe(truth.treated);
  });

  it('gives the labels that are true and leaves the censored ones out', () => {
    const censored = truths.filter((truth) => truth.y === null);
    expect(censored.length).toBeGreaterThan(30);
    for (const truth of truths) expect(foundLabel(truth)?.y).toBe(truth.y);
  });

  it('says why each missing label is missing', () => {
    const missing = labelled.flatMap((session) => session.episodes).filter(({ label }) => label.y === null);
    expect(missing.every(({ label }) => label.missing !== null)).toBe(true);
    expect(analysis.missing_labels.map((one) => one.reason)).toEqual(
      expect.arrayContaining(['the action was denied', 'the session ended inside the window']),
    );
  });

  it('ranks the three actions that work above those that do nothing', () => {
    expect(new Set(analysis.uplift.slice(0, 3).map((cell) => cell.pattern))).toEqual(EFFECTIVE);
  });

  it('does not credit an action for a symptom that heals by itself', () => {
    const healing = analysis.uplift.find((cell) => cell.pattern.startsWith('kernel_opt_no_progress'));
    expect(healing?.p1).toBeGreaterThan(0.7);
    expect(healing?.low).toBeLessThan(0);
  });

  it('learns from the labels once there are enough of them', () => {
    expect(analysis.regime).toBe('learned');
  });

  it('drops the port of a URL from the pattern', () => {
    const names = analysis.patterns.map((pattern) => displayKey(pattern.pattern_key));
    expect(names).toContain('local_server_unreachable {url=http://127.0.0.1/health}');
  });
});
