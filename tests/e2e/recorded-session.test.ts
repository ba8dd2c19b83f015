import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli } from '../support/cli.js';
import { tempDir } from '../support/temp-dir.js';

const RECORDED = '../shared/data/sessions/coordinator-12';
const PROFILE = '../shared/conformance/reference-profile.json';
const isHere = existsSync(RECORDED);
if (!isHere) console.warn(`SKIPPED: the recorded session is not here (${RECORDED})`);

type Intent = {
  readonly intent_type: string;
  readonly payload: {
    readonly severity?: string;
    readonly topic?: string;
    readonly family?: string;
    readonly detail?: { readonly symptom: string; readonly subject: Record<string, string> };
  };
};

/** An intent in one line: type, severity or topic, symptom, subject. */
function brief({ intent_type: type, payload }: Intent): string {
  const { detail } = payload;
  const subject = Object.values(detail?.subject ?? {}).join(',');
  return [type, payload.severity ?? payload.topic ?? payload.family, detail?.symptom, subject]
    .filter((part) => part !== undefined && part !== '')
    .join(' ');
}

const HEARTBEAT = ['send_message heartbeat'];
const FAILURE = ['alert medium repeated_failure nonexistent_action'];

/** Ticks that the fixes decide otherwise than the recorded reference, each with the fix that it follows from. */
const SUPERSEDED: Readonly<Record<number, { readonly fix: string; readonly intents: readonly string[] }>> = {
  1: {
    fix: '00 rule 6, 03 G-12: one failure, seen as event and as inbox row, counts once',
    intents: HEARTBEAT,
  },
  2: {
    fix: '03 G-12: the single failure of baseline counts once',
    intents: ['alert medium crash_count_rising session'],
  },
  4: {
    fix: '04 repeated_payload-3: the parameters differ, so it is no loop; the second real failure is due now',
    intents: FAILURE,
  },
  6: { fix: '03 G-12: the reminder counts from tick 4', intents: HEARTBEAT },
  8: {
    fix: '03 event-4: the denied agent is named, not the messenger',
    intents: ['alert medium repeated_policy_denied orchestration'],
  },
  9: { fix: '03 G-12: five ticks after tick 4', intents: FAILURE },
  11: { fix: '03 G-12: the next reminder is due at tick 14', intents: HEARTBEAT },
  13: {
    fix: '03 event-4: the denied agent is named, not the messenger',
    intents: ['alert medium repeated_policy_denied orchestration'],
  },
};

describe.runIf(isHere)('the recorded session', () => {
  it('gets its expected decisions, tick by tick, from the built product', async () => {
    const sessionDir = tempDir();
    mkdirSync(join(sessionDir, 'storage'));
    const expected = readFileSync(`${RECORDED}.expected.jsonl`, 'utf8')
      .trim()
      .split('\n')
      .map((line): { intents: Intent[] } => JSON.parse(line));
    const turns = readdirSync(RECORDED).sort();
    expect(turns).toHaveLength(expected.length);

    for (const [index, turn] of turns.entries()) {
      const at = (name: string) => join(RECORDED, turn, name);
      for (const suffix of ['-wal', '-shm'])
        rmSync(join(sessionDir, `storage/coordinator.db${suffix}`), { force: true });
      copyFileSync(at('coordinator.db'), join(sessionDir, 'storage/coordinator.db'));
      copyFileSync(at('state.json'), join(sessionDir, 'state.json'));
      const request = JSON.parse(readFileSync(at('request.json'), 'utf8'));
      const { captured_unix: now } = JSON.parse(readFileSync(at('meta.json'), 'utf8'));
      const options = {
        ...request.options,
        session_dir: sessionDir,
        auto_probe_inference_server: false,
        ray_probe_enabled: false,
        external_deps_enabled: false,
        llm_rca_enabled: false,
      };
      const prompt = request.raw_prompt.replace(/^SESSION_DIR=.*$/m, `SESSION_DIR=${sessionDir}`);
      const file = join(sessionDir, 'request.json');
      writeFileSync(
        file,
        JSON.stringify({
          ...request,
          raw_prompt: prompt,
          context: { ...request.context, now_unix: now },
          options,
        }),
      );
      const run = await runCli(['tick', '--request', file, '--config', PROFILE]);
      expect(run).toMatchObject({ code: 0, stderr: '' });
      const emit = JSON.parse(run.stdout);
      const wanted = SUPERSEDED[index]?.intents ?? expected[index]?.intents.map(brief);
      expect([index, ...emit.intent_envelope.intents.map(brief)]).toEqual([index, ...(wanted ?? [])]);
      expect(emit.parse_warnings).toEqual([]);
    }
  });
});
