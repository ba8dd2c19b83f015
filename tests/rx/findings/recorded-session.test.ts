import { describe, expect, it } from 'vitest';
import { analyzeFindings } from '../../../src/rx/findings/analyze.js';
import { labelSession } from '../../../src/rx/findings/labelled-episode.js';
import { FindingsPathError, locateSessions, readSession } from '../../../src/rx/findings/session.js';

const directory = 'tests/fixtures/rx/recorded-session';

async function load() {
  const locations = await locateSessions(directory);
  return Promise.all(locations.map(async (location) => labelSession(await readSession(location))));
}

describe('the recorded Coordinator session', async () => {
  const sessions = await load();
  const episodes = sessions.flatMap((session) => session.episodes);
  const analysis = analyzeFindings(sessions);

  it('has one session of eleven findings', () => {
    expect(analysis).toMatchObject({ sessions: 1, findings: 11, torn_lines: 0, segments: 1 });
  });

  it('finds the loop that was pruned twice, and the failure that followed the first prune', () => {
    const loop = episodes.find(({ episode }) => episode.symptom === 'same_payload_loop');
    expect(loop?.episode).toMatchObject({ start: 5, last: 11, outcome: 'censored' });
    expect(loop?.label).toMatchObject({
      action: 'prune_branch nonexistent_action',
      treated: true,
      y: 0,
      useful: false,
      acted_on: { state: 'executed', honoured: false },
    });
  });

  it('calls nothing ceased in a session too short to tell', () => {
    const late = episodes.filter(({ episode }) => episode.last > 4);
    expect(late.every(({ episode }) => episode.outcome !== 'ceased')).toBe(true);
  });

  it('stays with the prior', () => {
    expect(analysis.regime).toBe('heuristic');
    expect(analysis.patterns[0]?.pattern).toBe('same_payload_loop {family=nonexistent_action}');
  });
});

describe('locateSessions', () => {
  it('finds session directories one level down', async () => {
    expect(await locateSessions('tests/fixtures/rx')).toEqual([{ session_id: 'coordinator-12', directory }]);
  });

  it.each(['tests/rx', 'tests/absent'])('refuses %s', async (path) => {
    await expect(locateSessions(path)).rejects.toBeInstanceOf(FindingsPathError);
  });
});
