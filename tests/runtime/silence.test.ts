import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { silenceOf } from '../../src/decision/ladder/silences.js';
import { silencesPath } from '../../src/reactor/store/paths.js';
import { loadSilences } from '../../src/reactor/store/silences-file.js';
import { durationText, parseDuration } from '../../src/runtime/silence/duration.js';
import { silenceCommand } from '../../src/runtime/silence/matcher.js';
import { run } from '../../src/runtime/silence.js';
import { runCommand } from '../support/command-io.js';

const NOW = 1_790_000_000;
let dir = '';
const cli = (...argv: string[]) => runCommand(run, argv, { env: { SESSION_DIR: dir } });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW * 1000 });
  dir = mkdtempSync(join(tmpdir(), 'silence-'));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(dir, { recursive: true, force: true });
});

describe('silence', () => {
  it('is written where the ladder looks for it', async () => {
    const added = await cli(
      'add',
      'disk_pressure',
      '--subject',
      'mountpoint=/data',
      '--for',
      '4h',
      '--comment',
      'moving "x"',
    );
    expect(added).toMatchObject({ code: 0, stderr: '' });
    expect(added.stdout).toMatch(
      /^[0-9a-f]{6} disk_pressure mountpoint=\/data\n {2}for 4h, until \S+Z\n {2}moving "x"\n$/,
    );
    const { silences } = loadSilences(dir);
    expect(silences).toEqual([
      {
        id: added.stdout.slice(0, 6),
        symptom: 'disk_pressure',
        subject: { mountpoint: '/data' },
        created_unix: NOW,
        expires_unix: NOW + 4 * 3600,
        comment: 'moving "x"',
      },
    ]);
    const disk = (mountpoint: string) => ({ name: 'disk_pressure', subject: { mountpoint } });
    expect(silenceOf(disk('/data'), silences, NOW + 4 * 3600 - 1)).toBeDefined();
    expect(silenceOf(disk('/data'), silences, NOW + 4 * 3600)).toBeUndefined();
    expect(silenceOf(disk('/'), silences, NOW)).toBeUndefined();
  });

  it('lists what is in force, soon and late, and ends it on demand', async () => {
    const first = (await cli('add', 'agent_stall', '--for', '1h')).stdout.slice(0, 6);
    await cli('add', 'ray_head_dead', '--for', '10m');
    expect((await cli('list')).stdout.split('\n').filter((line) => /^[0-9a-f]/.test(line))).toHaveLength(2);

    vi.setSystemTime((NOW + 1800) * 1000);
    expect((await cli('list')).stdout).toBe(`${first} agent_stall\n  for 30m, until 2026-09-21T15:13:20Z\n`);
    expect((await cli('list', '--all')).stdout).toMatch(/ray_head_dead\n {2}ended /);
    expect((await cli('remove', first)).stdout).toBe(`removed ${first}: agent_stall\n`);
    expect(await cli('list')).toMatchObject({ code: 0, stdout: '', stderr: 'nothing is silenced\n' });
  });

  it('speaks JSON', async () => {
    const added = JSON.parse((await cli('add', 'agent_stall', '--json')).stdout);
    expect(added).toMatchObject({ symptom: 'agent_stall', in_force: true, expires_unix: NOW + 7200 });
    expect(JSON.parse((await cli('list', '--json')).stdout)).toEqual(added);
  });

  it('forgets what ended a week ago', async () => {
    await cli('add', 'agent_stall', '--for', '1h');
    vi.setSystemTime((NOW + 3600 + 7 * 86_400) * 1000);
    await cli('add', 'ray_head_dead');
    expect(JSON.parse(readFileSync(silencesPath(dir), 'utf8'))).toMatchObject([{ symptom: 'ray_head_dead' }]);
  });

  it.each([
    [['add', 'disk_presure'], 'RA_RULE_UNKNOWN'],
    [['add', 'local_health'], "one of the rule's symptoms: local_server_unreachable"],
    [['add', 'disk_pressure', '--subject', 'mount=/'], 'with the key mountpoint'],
    [['add', 'ray_head_dead', '--subject', 'a=b'], 'expected no subject at all'],
    [['add', 'disk_pressure', '--subject', 'mountpoint'], 'RA_USAGE'],
    [['add', 'disk_pressure', '--for', 'ever'], '30m, 2h, 1d12h'],
    [['add', 'disk_pressure', '--comment', 'x'.repeat(501)], 'at most 500'],
    [['remove', 'abcdef'], 'RA_SILENCE_UNKNOWN'],
    [['list', '--session-dir', '/nowhere/at/all'], 'RA_SESSION_DIR'],
    [['frobnicate'], 'RA_USAGE'],
  ])('refuses %j', async (argv, message) => {
    const { code, stdout, stderr } = await cli(...argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });

  it('removes nothing when one of the ids is wrong', async () => {
    const id = (await cli('add', 'agent_stall')).stdout.slice(0, 6);
    expect((await cli('remove', id, 'zzzzzz')).code).toBe(2);
    expect(loadSilences(dir).silences).toHaveLength(1);
  });

  it('never overwrites a file that it cannot read', async () => {
    mkdirSync(dirname(silencesPath(dir)), { recursive: true });
    writeFileSync(silencesPath(dir), '[{"symptom": ');
    const { code, stderr } = await cli('add', 'agent_stall');
    expect(code).toBe(2);
    expect(stderr).toContain('RA_SILENCES_UNREADABLE');
    expect(readFileSync(silencesPath(dir), 'utf8')).toBe('[{"symptom": ');
  });

  it('says when the file cannot be written', async () => {
    writeFileSync(join(dir, 'agents'), 'a file in the way');
    const { code, stderr } = await cli('add', 'agent_stall');
    expect(code).toBe(2);
    expect(stderr).toMatch(/^RA_SILENCES_/);
  });
});

describe('durations', () => {
  it.each([
    ['90s', 90],
    ['30m', 1800],
    ['1.5h', 5400],
    ['1d12h', 129_600],
    ['365d', 31_536_000],
  ])('reads %s', (text, seconds) => {
    expect(parseDuration(text)).toBe(seconds);
  });

  it.each(['', '0h', '5', 'h', '-1h', '1h x', '366d', '1w', '1h, 2m'])('refuses %j', (text) => {
    expect(() => parseDuration(text)).toThrow(/no duration/);
  });

  it.each([
    [0, '0s'],
    [59.6, '1m'],
    [3600, '1h'],
    [3725, '1h 2m'],
    [86_400 + 60, '1d'],
    [90_061, '1d 1h'],
    [-5, '0s'],
  ])('writes %d s as %s', (seconds, text) => {
    expect(durationText(seconds)).toBe(text);
  });
});

describe('the command to silence something', () => {
  it('is quoted for a shell', () => {
    expect(silenceCommand('local_server_unreachable', { url: "http://h/it's?a=1&b=2" }, '/s dir')).toBe(
      "robustness-agent silence add local_server_unreachable --subject 'url=http://h/it'\\''s?a=1&b=2' --for 2h --session-dir '/s dir'",
    );
    expect(silenceCommand('agent_stall', { agent: 'critic' }, '/s')).toBe(
      'robustness-agent silence add agent_stall --subject agent=critic --for 2h --session-dir /s',
    );
  });
});
