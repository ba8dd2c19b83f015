import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/foreign/json.js';
import { type Classification, classify } from '../../src/signals/classify.js';
import type { Snapshot } from '../../src/sources/snapshot.js';
import { type ContextSketch, contextOf, snapshotOf } from '../support/rule-tester.js';

function judge(
  snapshot: Partial<Snapshot>,
  context: ContextSketch = {},
  slots: JsonObject = {},
): Classification {
  return classify({
    context: contextOf(context),
    snapshot: snapshotOf(snapshot),
    config: {},
    loadSlot: (name) => {
      const slot = slots[name];
      return typeof slot === 'object' && slot !== null && !Array.isArray(slot) ? (slot as JsonObject) : {};
    },
  });
}

const doubtful = {
  kernel_id: 'k1',
  decision: 'KEEP',
  patch_path: '/p',
  patch_size_bytes: 0,
  dispatched_count: null,
};
const deadLease = { task_id: 't', holder_pid: 9, acquired_at: 9000, alive: false };

describe('all rules together', () => {
  it('say nothing about a session of which nothing is known', () => {
    const { symptoms, failures } = judge({});
    expect(symptoms).toEqual([]);
    expect(failures).toEqual([]);
  });

  it('fold symptoms of one key, the first one winning, and sort the rest', () => {
    const { symptoms } = judge({
      local_decision_audit: {
        recent_integrate: [
          { ...doubtful, gain_pct: 0.1 },
          { ...doubtful, gain_pct: 0.2 },
        ],
      },
      local_state_integrity: {
        state_json: { valid: false, error: 'json_parse_failed' },
        leases: [
          { ...deadLease, lane: 'gpu' },
          { ...deadLease, lane: 'profile' },
        ],
        wal: { wal_bytes: 2 * 2 ** 30 },
      },
      local_external_deps: { tracelens_cli: { any_present: false } },
    });
    expect(symptoms.map(({ severity, name }) => `${severity} ${name}`)).toEqual([
      'high empty_patch_kept',
      'high kernel_dispatch_bypassed',
      'high stale_lease',
      'high state_json_corrupt',
      'high tracelens_cli_missing',
      'medium coordinator_wal_bloat',
      'medium decision_threshold_violated',
    ]);
    const evidence = Object.fromEntries(symptoms.map((symptom) => [symptom.name, symptom.evidence]));
    expect(evidence['kernel_dispatch_bypassed']).toMatchObject({ gain_pct: 0.1, entries_matched: 2 });
    expect(evidence['stale_lease']).toMatchObject({ lane: 'gpu', lanes: ['gpu', 'profile'] });
  });

  it('leave undecided what no collector could answer, and only that', () => {
    const report = { reason: '', ms: 1, detail: '' } as const;
    const { undecided } = judge({
      collectors: {
        gateway: { ...report, status: 'timeout' },
        mounts: { ...report, status: 'ok' },
        tracelens: { ...report, status: 'empty' },
        leases: { ...report, status: 'error' },
      },
    });
    expect(undecided).toContain('gateway_auth_outage');
    expect(undecided).toContain('gateway_unreachable');
    expect(undecided).toContain('stale_lease');
    expect(undecided).not.toContain('wekafs_degraded');
    expect(undecided).not.toContain('tracelens_cli_missing');
    expect(undecided).not.toContain('state_json_corrupt');
  });

  it('survive a snapshot in which every slot is nonsense', () => {
    const keys = Object.keys(snapshotOf()).filter(
      (key) => key.startsWith('local_') || key === 'coordinator_events',
    );
    for (const nonsense of [null, 5, 'x', true, [], [[], null, 5, 'x'], { a: 1 }, { gpus: 5 }]) {
      const { failures } = judge(Object.fromEntries(keys.map((key) => [key, nonsense])) as Partial<Snapshot>);
      expect(failures, JSON.stringify(nonsense)).toEqual([]);
    }
  });

  it('survive slots in which every value is nonsense', () => {
    const slots = Object.fromEntries(
      [
        'ray_pending',
        'gpu_health',
        'self_health',
        'decision_audit',
        'preflight_amdahl',
        'preflight_model_gpu_fit',
      ].map((name) => [
        name,
        { consecutive_hits: {}, contended: [1], failed: 'x', reported: { a: 1 }, fired_mtime: 'x' },
      ]),
    );
    const { failures, finalStates } = judge({ local_ray: { healthy: true, pending_tasks: 5 } }, {}, slots);
    expect(failures).toEqual([]);
    expect(finalStates({ isSettled: () => true }).failures).toEqual([]);
  });
});
