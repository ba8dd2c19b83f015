import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Finding } from '../../src/reactor/findings/finding.js';
import { spoolInvestigation } from '../../src/reactor/investigation-spool.js';
import { SKIPPED_SYMPTOMS } from '../../src/reactor/skipped-symptoms.js';
import { emptySnapshot } from '../../src/sources/snapshot.js';

const NOW = 1_780_000_000;

function finding(change: Partial<Finding> = {}): Finding {
  return {
    tick_index: 3,
    timestamp_unix: NOW - 1,
    symptom_name: 'local_server_unreachable',
    severity: 'high',
    summary: 'the server does not answer',
    intents: [],
    evidence: { status: 'refused' },
    rca_text: '',
    subject: { url: 'http://127.0.0.1:8000' },
    cooldown_until_tick: 9,
    ...change,
  };
}

let session: string;
const root = () => join(session, 'agents/robustness/investigations');
const queue = () => join(root(), 'queue');
const options = { sessionId: 's', nowUnix: NOW, snapshot: null };

beforeEach(() => {
  session = mkdtempSync(join(tmpdir(), 'spool-'));
});
afterEach(() => rmSync(session, { recursive: true, force: true }));

describe('investigation jobs', () => {
  it('a HIGH finding becomes a job with the readings of its tick', () => {
    const snapshot = { ...emptySnapshot(), local_gpu: { gpus: [] }, collected_unix: NOW - 2 };
    const { jobs } = spoolInvestigation(session, [finding()], { ...options, snapshot });
    expect(jobs).toHaveLength(1);
    const job = JSON.parse(readFileSync(join(queue(), `${jobs[0]}.json`), 'utf8'));
    expect(jobs[0]).toMatch(/^job-1780000000-[0-9a-f]{8}$/);
    expect(job).toMatchObject({
      schema_version: 1,
      job_id: jobs[0],
      attempts: 0,
      symptom_name: 'local_server_unreachable',
      incident_unix: NOW - 1,
      snapshot: { taken_unix: NOW - 2, gpu: { gpus: [] }, disk: null, processes: null },
    });
  });

  it('a tick that may not look at this machine says so in its job, any other does not', () => {
    const jobOf = (skipsMachine: boolean, pid: string) => {
      const { jobs } = spoolInvestigation(session, [finding({ subject: { pid } })], {
        ...options,
        skipsMachine,
      });
      return JSON.parse(readFileSync(join(queue(), `${jobs[0]}.json`), 'utf8'));
    };
    expect(jobOf(true, '1')).toMatchObject({ disable_local_probe: true });
    expect(jobOf(false, '2')).not.toHaveProperty('disable_local_probe');
  });

  it('nothing is touched for a finding that is not HIGH or is no fault', () => {
    const findings = [
      finding({ severity: 'medium' }),
      ...SKIPPED_SYMPTOMS.map((name) => finding({ symptom_name: name })),
    ];
    expect(spoolInvestigation(session, findings, options)).toEqual({ jobs: [], dropped: 0, problems: [] });
    expect(readdirSync(session)).toEqual([]);
  });

  it('the same symptom of the same subject is queued once, of another one again', () => {
    const other = finding({ subject: { url: 'http://127.0.0.1:9000' } });
    expect(spoolInvestigation(session, [finding(), finding(), other], options).jobs).toHaveLength(2);
    expect(spoolInvestigation(session, [finding(), other], options).jobs).toHaveLength(0);
  });

  it('a key that was investigated lately waits for its cooldown', () => {
    mkdirSync(root(), { recursive: true });
    const key = 'local_server_unreachable\u001furl=http://127.0.0.1:8000';
    writeFileSync(join(root(), 'index.jsonl'), `torn\n${JSON.stringify({ key, created_unix: NOW - 100 })}\n`);
    expect(spoolInvestigation(session, [finding()], options).jobs).toHaveLength(0);
    expect(spoolInvestigation(session, [finding()], { ...options, nowUnix: NOW + 900 }).jobs).toHaveLength(1);
  });

  it('a full queue drops the newest and counts it', () => {
    const many = Array.from({ length: 11 }, (_, index) => finding({ subject: { pid: String(index) } }));
    expect(spoolInvestigation(session, many, options)).toMatchObject({ dropped: 3 });
    spoolInvestigation(session, [finding({ subject: { pid: '99' } })], options);
    const dropped = JSON.parse(readFileSync(join(queue(), 'dropped.json'), 'utf8'));
    expect(dropped).toEqual({ dropped: 4, last_unix: NOW });
  });

  it('says why a job could not be stored, and throws nothing', () => {
    writeFileSync(join(session, 'agents'), 'a file in the way');
    expect(spoolInvestigation(session, [finding()], options).problems).toHaveLength(1);
  });
});
