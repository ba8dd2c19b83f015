import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createArtefacts } from '../../../src/investigate/store/artefacts.js';
import { acquireWorkerLock } from '../../../src/investigate/store/worker-lock.js';
import type { Finding } from '../../../src/reactor/findings/finding.js';
import { spoolInvestigation } from '../../../src/reactor/investigation-spool.js';
import { symptomKey } from '../../../src/signals/symptom.js';
import { tempDir } from '../../support/temp-dir.js';

const NOW = 1_780_000_000;
const ID = `inv-${NOW - 10}-00000000`;

function finding(subject: Record<string, string>): Finding {
  return {
    tick_index: 3,
    timestamp_unix: NOW - 1,
    symptom_name: 'agent_stall',
    severity: 'high',
    summary: 'nothing moves',
    intents: [],
    evidence: {},
    rca_text: '',
    subject,
    cooldown_until_tick: 9,
  };
}

let session: string;
let root: string;
const spooled = (subject: Record<string, string>) =>
  spoolInvestigation(session, [finding(subject)], { sessionId: 's', nowUnix: NOW, snapshot: null }).jobs
    .length;

beforeEach(() => {
  session = tempDir();
  root = join(session, 'agents/robustness/investigations');
  mkdirSync(root, { recursive: true });
});

describe('what lies where investigations are kept', () => {
  it.each(['worker.lock', 'index.jsonl', 'queue/job-1-00000000.json', `${ID}/running.json`])(
    'holds up no tick, although %s never ends',
    (name) => {
      mkdirSync(join(root, name, '..'), { recursive: true });
      execFileSync('mkfifo', [join(root, name)]);
      expect(spooled({ agent: 'critic' })).toBe(1);
    },
  );
});

describe('an investigation does not set off another one', () => {
  const key = symptomKey({ name: 'agent_stall', subject: { agent: 'kernel_opt' } });

  it('while one of the same key runs, whoever began it', () => {
    createArtefacts(root, ID, 50).begin(key);
    expect([spooled({ agent: 'kernel_opt' }), spooled({ agent: 'critic' })]).toEqual([0, 1]);
  });

  it('the key is free again when its process has ended without a word', () => {
    const { pid } = spawnSync('true');
    mkdirSync(join(root, ID));
    writeFileSync(join(root, ID, 'running.json'), JSON.stringify({ key, pid, start_unix: NOW - 10 }));
    expect(spooled({ agent: 'kernel_opt' })).toBe(1);
  });

  it('a mark of hours ago says nothing, since its pid may be anybody by now', () => {
    createArtefacts(root, `inv-${NOW - 10_000}-00000000`, 50).begin(key);
    expect(spooled({ agent: 'kernel_opt' })).toBe(1);
  });

  it.each([{ agent: 'robustness' }, { agent: 'robustness-agent' }, { agent: 'Investigator' }])(
    'about itself: %j',
    (subject) => {
      expect(spooled(subject)).toBe(0);
      expect(readdirSync(root)).toEqual([]);
    },
  );

  it('about the process that works the queue off', () => {
    const lock = acquireWorkerLock(root);
    expect([spooled({ pid: String(process.pid) }), spooled({ pid: '1' })]).toEqual([0, 1]);
    lock?.release();
    rmSync(join(root, 'queue'), { recursive: true });
    expect(spooled({ pid: String(process.pid) })).toBe(1);
  });
});
