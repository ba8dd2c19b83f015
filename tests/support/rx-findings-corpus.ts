import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Mt19937 } from '../../src/stats/mt19937.js';
import { CoordinatorDb } from './coordinator-db.js';

/** A recurring problem of the generated corpus, with what acting on it truly does. */
export interface CorpusPattern {
  readonly symptom: string;
  readonly subject: Readonly<Record<string, string>>;
  readonly action: 'prune_branch' | 'delegate';
  /** Probability that it ceases when left alone, and when acted on. */
  readonly p0: number;
  readonly p1: number;
}

/** Three fixes that work, three that do nothing, one for a symptom that heals by itself. */
export const CORPUS_PATTERNS: readonly CorpusPattern[] = [
  { symptom: 'repeated_failure', subject: { family: 'sweep' }, action: 'prune_branch', p0: 0.15, p1: 0.9 },
  { symptom: 'repeated_failure', subject: { family: 'tune' }, action: 'prune_branch', p0: 0.3, p1: 0.3 },
  { symptom: 'same_payload_loop', subject: { family: 'profile' }, action: 'prune_branch', p0: 0.2, p1: 0.85 },
  { symptom: 'same_payload_loop', subject: { family: 'explore' }, action: 'prune_branch', p0: 0.5, p1: 0.5 },
  {
    symptom: 'local_server_unreachable',
    subject: { url: 'http://127.0.0.1:8000/health' },
    action: 'delegate',
    p0: 0.1,
    p1: 0.85,
  },
  { symptom: 'gpu_memory_leaked', subject: { gpu: '0' }, action: 'delegate', p0: 0.2, p1: 0.2 },
  {
    symptom: 'kernel_opt_no_progress',
    subject: { agent: 'kernel_agent' },
    action: 'prune_branch',
    p0: 0.9,
    p1: 0.9,
  },
];

/** Names of the symptoms and subjects whose action works. */
export const EFFECTIVE: ReadonlySet<string> = new Set([
  'repeated_failure {family=sweep}',
  'same_payload_loop {family=profile}',
  'local_server_unreachable {url=http://127.0.0.1/health}',
]);

/** What the generator knows of one episode. */
export interface TrueLabel {
  readonly session_id: string;
  readonly symptom: string;
  readonly subject: Readonly<Record<string, string>>;
  /** Tick from which the window counts. */
  readonly tick: number;
  readonly treated: boolean;
  readonly y: 0 | 1 | null;
}

const EPOCH = 1_700_000_000;
const TICK_S = 60;
const SILENCE = 5;
const WINDOW = 2 * SILENCE;

/** Writes so many session directories under `root` and returns what is true of their episodes. */
export function writeCorpus(root: string, sessions: number, seed: number): TrueLabel[] {
  const random = new Mt19937(seed);
  const truths: TrueLabel[] = [];
  for (let i = 0; i < sessions; i++) {
    const id = `session-${String(i).padStart(4, '0')}`;
    truths.push(...new CorpusSession(id, EPOCH + i * 100_000, random).write(join(root, id), i % 3 === 0));
  }
  return truths;
}

interface Row {
  readonly tick: number;
  readonly value: Readonly<Record<string, unknown>>;
}

class CorpusSession {
  private readonly rows: Row[] = [];
  private readonly present = new Map<number, Set<string>>();
  private readonly ticks: number;

  constructor(
    private readonly id: string,
    private readonly began: number,
    private readonly random: Mt19937,
  ) {
    this.ticks = random.integer(25, 90);
  }

  write(directory: string, withPresence: boolean): TrueLabel[] {
    const db = new CoordinatorDb(join(directory, 'coordinator.db'));
    const chosen = this.random.shuffle([...CORPUS_PATTERNS]).slice(0, this.random.integer(2, 4));
    const truths = db.db.transaction(() => chosen.map((pattern) => this.episode(pattern, db)))();
    db.close();
    const findings = join(directory, 'agents', 'robustness', 'findings');
    mkdirSync(findings, { recursive: true });
    const ordered = [...this.rows].sort((a, b) => a.tick - b.tick);
    writeFileSync(
      join(findings, `${this.id}.jsonl`),
      ordered.map((row) => `${JSON.stringify(row.value)}\n`).join(''),
    );
    writeFileSync(join(directory, 'state.json'), JSON.stringify({ tick: this.ticks, session_id: this.id }));
    if (withPresence) this.writePresence(join(directory, 'agents', 'robustness', 'presence'));
    return truths;
  }

  private episode(pattern: CorpusPattern, db: CoordinatorDb): TrueLabel {
    const { random, ticks } = this;
    const start = random.integer(1, ticks);
    const act = random.random() < 0.6;
    const denied = act && random.random() < 0.2;
    const treated = act && !denied;
    const tick = act ? Math.min(ticks, start + 1) : start;
    const ceases = random.random() < (treated ? pattern.p1 : pattern.p0);
    const presentUntil = ceases
      ? tick + random.integer(0, SILENCE - 1)
      : tick + random.integer(WINDOW + 1, 40);
    this.sight(pattern, start, presentUntil);
    if (act && tick !== start) this.finding(pattern, start, false);
    this.finding(pattern, tick, act);
    for (let due = tick + SILENCE; due <= Math.min(ticks, presentUntil); due += SILENCE)
      this.finding(pattern, due, false);
    if (act) this.trace(pattern, tick, denied, db);
    const results = this.results(pattern, tick, ceases, db);
    const complete = tick + WINDOW <= ticks;
    const growth = pattern.symptom === 'repeated_failure' || pattern.symptom === 'same_payload_loop';
    const returned = growth ? results : !ceases && tick + SILENCE <= ticks;
    const y = returned ? 0 : complete ? 1 : null;
    return { session_id: this.id, symptom: pattern.symptom, subject: pattern.subject, tick, treated, y };
  }

  /** Failed results of the family come on exactly when the trouble does; other work succeeds meanwhile. */
  private results(pattern: CorpusPattern, tick: number, ceases: boolean, db: CoordinatorDb): boolean {
    const at = tick + this.random.integer(2, WINDOW - 1);
    const family = pattern.subject['family'] ?? 'kernel_opt';
    db.event({
      topic: 'delegated_result',
      payload: { kind: 'roofline', state: 'succeeded' },
      at: this.timeOf(tick) + 30,
    });
    if (ceases || at > this.ticks) return false;
    db.event({ topic: 'delegated_result', payload: { kind: family, state: 'failed' }, at: this.timeOf(at) });
    return true;
  }

  /** What the Coordinator leaves of a hard intent. */
  private trace(pattern: CorpusPattern, tick: number, denied: boolean, db: CoordinatorDb): void {
    const at = this.timeOf(tick) + 1;
    if (denied) {
      const payload = { kind: 'policy_denied', intent_type: pattern.action, rule: 'role', reason: 'not now' };
      db.event({ to: 'robustness', topic: 'observation', payload, at });
    } else if (pattern.action === 'prune_branch') {
      const payload = {
        kind: 'prune_branch',
        family: pattern.subject['family'] ?? 'kernel_opt',
        cancelled_task_ids: ['x'],
      };
      db.event({ from: 'robustness', topic: 'event', payload, at });
    } else {
      db.task({ kind: 'recover', state: 'succeeded', key: this.idempotencyKey(pattern, tick), at });
    }
  }

  private finding(pattern: CorpusPattern, tick: number, hard: boolean): void {
    const detail = { symptom: pattern.symptom, severity: 'high', subject: pattern.subject };
    const intents: unknown[] = [
      { intent_type: 'alert', payload: { severity: 'high', summary: 'generated', detail } },
    ];
    if (hard) intents.push(this.hardIntent(pattern, tick));
    const value = {
      tick_index: tick,
      timestamp_unix: this.timeOf(tick),
      symptom_name: pattern.symptom,
      severity: 'high',
      summary: 'generated',
      intents,
      evidence: {},
      rca_text: '',
      subject: pattern.subject,
      cooldown_until_tick: tick + SILENCE,
    };
    this.rows.push({ tick, value });
  }

  private hardIntent(pattern: CorpusPattern, tick: number): unknown {
    if (pattern.action === 'prune_branch') {
      const family = pattern.subject['family'] ?? 'kernel_opt';
      return { intent_type: 'prune_branch', payload: { family, reason: 'generated' } };
    }
    const key = this.idempotencyKey(pattern, tick);
    return { intent_type: 'delegate', payload: { action_name: 'recover', params: {}, idempotency_key: key } };
  }

  private idempotencyKey(pattern: CorpusPattern, tick: number): string {
    return `recover-${pattern.symptom}-tick-${tick}`;
  }

  private sight(pattern: CorpusPattern, from: number, to: number): void {
    const parts = Object.entries(pattern.subject).map(([name, value]) => `${name}=${value}`);
    const key = [pattern.symptom, ...parts.sort()].join('\u001f');
    for (let tick = from; tick <= Math.min(to, this.ticks); tick++) {
      const keys = this.present.get(tick) ?? new Set();
      this.present.set(tick, keys.add(key));
    }
  }

  private writePresence(directory: string): void {
    mkdirSync(directory, { recursive: true });
    const lines = Array.from({ length: this.ticks }, (_, i) => {
      const present = [...(this.present.get(i + 1) ?? [])];
      return JSON.stringify({
        tick_index: i + 1,
        timestamp_unix: this.timeOf(i + 1),
        present,
        muted: {},
        undecided: [],
      });
    });
    writeFileSync(join(directory, `${this.id}.jsonl`), `${lines.join('\n')}\n`);
  }

  private timeOf(tick: number): number {
    return this.began + tick * TICK_S;
  }
}
