import { describe, expect, it } from 'vitest';
import { displayKey, patternKey, sessionKey } from '../../../src/rx/findings/key.js';
import { segmentsOf } from '../../../src/rx/findings/segments.js';
import { finding, key, presence, session } from './rows.js';

const disk = { mount: '/data' };
const diskKey = key('disk_pressure', disk);

async function only(...args: Parameters<typeof session>) {
  const { episodes } = await session(...args);
  if (episodes.length !== 1 || episodes[0] === undefined) throw new Error(`${episodes.length} episodes`);
  return episodes[0];
}

describe('silence is not recovery', () => {
  it('joins emissions that the cooldown kept apart', async () => {
    const { episode } = await only(
      's',
      [1, 6, 11].map((tick) => finding('disk_pressure', disk, tick)),
      40,
    );
    expect(episode).toMatchObject({ start: 1, last: 11, outcome: 'ceased' });
  });

  it('follows the longer silences of reminders', async () => {
    const rows = [
      finding('disk_pressure', disk, 1, { silence: 5 }),
      finding('disk_pressure', disk, 6, { silence: 10 }),
    ];
    const { episode } = await only('s', [...rows, finding('disk_pressure', disk, 16, { silence: 20 })], 50);
    expect(episode).toMatchObject({ start: 1, last: 16, outcome: 'censored', judged_at: 56 });
  });

  it('calls an episode persisted when the key comes back inside the window', async () => {
    const { episodes } = await session(
      's',
      [finding('disk_pressure', disk, 1), finding('disk_pressure', disk, 10)],
      40,
    );
    expect(episodes.map(({ episode }) => episode.outcome)).toEqual(['persisted', 'ceased']);
  });

  it('calls it censored when the session ends inside the window', async () => {
    expect((await only('s', [finding('disk_pressure', disk, 8)], 17)).episode.outcome).toBe('censored');
    expect((await only('s', [finding('disk_pressure', disk, 8)], 18)).episode.outcome).toBe('ceased');
  });
});

describe('recorded presence', () => {
  it('shows when a muted symptom ended', async () => {
    const lines = Array.from({ length: 40 }, (_, i) =>
      presence(i + 1, i + 1 >= 8 && i + 1 <= 11 ? [diskKey] : []),
    );
    const { episode } = await only('s', [finding('disk_pressure', disk, 8)], null, lines);
    expect(episode).toMatchObject({ last: 8, last_seen: 11, outcome: 'ceased', latency: 4 });
  });

  it('knows how long the session ran', async () => {
    const lines = Array.from({ length: 12 }, (_, i) => presence(i + 1, []));
    expect((await only('s', [finding('disk_pressure', disk, 8)], 99, lines)).episode.outcome).toBe(
      'censored',
    );
  });

  it('lengthens the window by every tick that could not judge the symptom', async () => {
    const lines = Array.from({ length: 20 }, (_, i) =>
      presence(i + 1, [], i + 1 >= 10 && i + 1 <= 12 ? ['disk_pressure'] : []),
    );
    const { episode } = await only('s', [finding('disk_pressure', disk, 8)], null, lines);
    expect(episode).toMatchObject({ judged_at: 21, outcome: 'censored' });
  });

  it('takes nothing from the absence in a full line', async () => {
    const full = Array.from({ length: 64 }, (_, i) => `other_${i}`);
    const lines = Array.from({ length: 18 }, (_, i) => presence(i + 1, i + 1 === 12 ? full : []));
    expect((await only('s', [finding('disk_pressure', disk, 8)], null, lines)).episode.outcome).toBe(
      'censored',
    );
  });

  it('sees a key that another alert explains', async () => {
    const explains = [{ symptom: 'disk_pressure', severity: 'medium', subject: disk }];
    const rows = [finding('disk_pressure', disk, 8), finding('ray_head_dead', {}, 12, { explains })];
    const { episodes } = await session('s', rows, 40);
    expect(episodes.find(({ episode }) => episode.symptom === 'disk_pressure')?.episode.last_seen).toBe(12);
  });
});

describe('labels without a database', () => {
  const server = { url: 'http://h/' };
  const act = finding('local_server_unreachable', server, 8, { severity: 'high', hard: 'delegate' });

  it('takes presence within the silence for the remedy at work, not for a return', async () => {
    const serverKey = key('local_server_unreachable', server);
    const until = (last: number) =>
      Array.from({ length: 40 }, (_, i) => presence(i + 1, i + 1 >= 8 && i + 1 <= last ? [serverKey] : []));
    expect((await only('s', [act], null, until(12))).label.y).toBe(1);
    expect((await only('s', [act], null, until(13))).label.y).toBe(0);
  });

  it('gives monotone and one-shot symptoms no label and says why', async () => {
    const ceiling = finding('amdahl_kernel_ceiling_low', {}, 5, { severity: 'high', hard: 'prune_branch' });
    expect((await only('s', [ceiling], 60)).label).toMatchObject({
      y: null,
      missing: 'a one-shot symptom has no end to observe',
    });
    const crash = finding('crash_count_high', { agent: 'session' }, 5, { severity: 'high' });
    expect((await only('s', [crash], 60)).label.missing).toBe('a monotone symptom cannot cease');
  });

  it('judges a record by new subjects', async () => {
    const kept = (path: string, tick: number) =>
      finding('empty_patch_kept', { patch_path: path }, tick, { severity: 'high' });
    const again = await session('s', [kept('a', 5), kept('b', 9)], 60);
    expect(again.episodes.map(({ label }) => label.y)).toEqual([0, 1]);
  });
});

describe('restarts', () => {
  it('compares nothing across a tick that goes backwards', async () => {
    const rows = [
      finding('disk_pressure', disk, 20, { time: 100 }),
      finding('disk_pressure', disk, 2, { time: 200 }),
      finding('disk_pressure', disk, 7, { time: 300 }),
    ];
    const labelled = await session('s', rows, 30);
    expect(labelled.segments).toBe(2);
    expect(labelled.episodes.map(({ episode }) => [episode.segment, episode.start, episode.outcome])).toEqual(
      [
        [0, 20, 'censored'],
        [1, 2, 'ceased'],
      ],
    );
  });

  it('lets presence decide where it is recorded', () => {
    const lines = [presence(1, []), presence(2, []), { ...presence(1, []), timestamp: 500 }];
    const segments = segmentsOf([finding('disk_pressure', disk, 3, { time: 600 })], lines, null);
    expect(segments.map((segment) => [segment.presence.length, segment.findings.length])).toEqual([
      [2, 0],
      [1, 1],
    ]);
  });
});

describe('keys', () => {
  it('sort the pairs and survive the separator', () => {
    expect(sessionKey('x', { b: '2', a: '1' })).toBe('x\u001fa=1\u001fb=2');
    expect(sessionKey('x', { a: 'p\u001fq' })).toBe('x\u001fa=p\u241fq');
    expect(displayKey(sessionKey('x', { b: 2, a: 1 }))).toBe('x {a=1, b=2}');
  });

  it.each([
    ['http://127.0.0.1:8000/health', 'http://127.0.0.1/health'],
    ['http://[::1]:8000', 'http://[::1]'],
    ['http://host/a:80/b', 'http://host/a:80/b'],
    ['12:30:00', '12:30:00'],
  ])('of a pattern with %s keep %s', (url, kept) => {
    expect(patternKey('x', { url })).toBe(`x\u001furl=${kept}`);
  });

  it('of a pattern drop what differs between sessions', () => {
    expect(patternKey('x', { pid: 7, task_id: 't', patch_path: 'p', gpu: '0' })).toBe('x\u001fgpu=0');
  });
});
