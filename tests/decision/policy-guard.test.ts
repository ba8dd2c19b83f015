import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapingPath, moveExternalPaths } from '../../src/decision/guard/path-containment.js';
import {
  alert,
  delegateRecover,
  escalateStrategyChange,
  heartbeat,
  type Intent,
  pruneBranch,
  sendMessage,
  updateState,
} from '../../src/decision/intents.js';
import { violationOf } from '../../src/decision/policy-guard.js';
import { protectedStateFields, REQUIRED_KEYS, ROLE_INTENT_TYPES } from '../../src/decision/vocabulary.js';
import type { JsonObject } from '../../src/foreign/json.js';

const open = { closingPhase: false, sessionDir: '/srv/s' };
const closing = { ...open, closingPhase: true };
const rule = (intent_type: string, payload: JsonObject, context = open) =>
  violationOf({ intent_type, payload }, context)?.rule;
const evidence = { reason: 'r', evidence: { a: 1 } };

describe('the guard', () => {
  it('knows the vocabulary', () => {
    expect(Object.keys(REQUIRED_KEYS)).toHaveLength(12);
    expect(protectedStateFields().size).toBe(95);
    for (const type of Object.keys(REQUIRED_KEYS)) {
      const isOurs = ROLE_INTENT_TYPES.some((ours) => ours === type);
      expect(rule(type, {})).toBe(isOurs ? 'payload' : 'role');
    }
    expect(rule('nonsense', {})).toBe('role');
    expect(rule('Alert', { severity: 'high', summary: 's' })).toBe('role');
  });

  it.each([
    ['alert', { severity: 'high', summary: 's' }],
    ['alert', { severity: 'low', summary: ' s ', detail: {} }],
    ['send_message', { topic: 'anything' }],
    ['prune_branch', { family: 'f', reason: 'r' }],
    ['prune_branch', { family: 'f', reason: 'r', scope: 'queued' }],
    ['delegate', { action_name: 'recover', params: evidence }],
    ['delegate', { action_name: 'recover', ...evidence }],
    ['delegate', { action_name: 'recover', reason: 'r', params: { evidence: ['x'] } }],
    ['update_state', { changes: { crash_count: 3 } }],
    ['update_state', { changes: { crash_count: 3, current_action: '' } }],
    ['escalate_strategy_change', { reason: 'r', next_action_hint: 'skip_to_close' }],
    ['escalate_strategy_change', { reason: 'r', next_action_hint: 'my own', severity: null }],
    ['escalate_strategy_change', { reason: 'r', next_action_hint: 'h', severity: 'low' }],
  ])('lets %s %j through', (type, payload) => {
    expect(rule(type, payload)).toBeUndefined();
  });

  it.each([
    ['alert', { severity: 'critical', summary: 's' }, 'payload'],
    ['alert', { severity: ' high ', summary: 's' }, 'payload'],
    ['alert', { severity: null, summary: 's' }, 'payload'],
    ['alert', { severity: 'high', summary: ' ' }, 'payload'],
    ['alert', { severity: 'high', summary: null }, 'payload'],
    ['alert', { severity: 'high' }, 'payload'],
    ['send_message', { topic: 7 }, 'payload'],
    ['prune_branch', { family: ' ', reason: 'r' }, 'payload'],
    ['prune_branch', { family: 'f', reason: null }, 'payload'],
    ['prune_branch', { family: 'f', reason: 'r', scope: 'all' }, 'prune_scope'],
    ['prune_branch', { family: 'f', reason: 'r', scope: null }, 'prune_scope'],
    ['delegate', { action_name: '' }, 'payload'],
    ['delegate', { action_name: 'kernel_opt', params: evidence }, 'delegate_action'],
    ['delegate', { action_name: 'recover ', params: evidence }, 'delegate_action'],
    ['delegate', { action_name: 'recover' }, 'delegate_action_evidence'],
    [
      'delegate',
      { action_name: 'recover', params: { reason: 'r', evidence: {} } },
      'delegate_action_evidence',
    ],
    [
      'delegate',
      { action_name: 'recover', params: { reason: ' ', evidence: { a: 1 } } },
      'delegate_action_evidence',
    ],
    ['update_state', { changes: {} }, 'payload'],
    ['update_state', { changes: [] }, 'payload'],
    ['update_state', { changes: { phase: 'x', crash_count: 1 } }, 'state_field'],
    ['update_state', { changes: { note: 'x' } }, 'state_field'],
    ['escalate_strategy_change', { reason: 'r', next_action_hint: 'h', severity: 'urgent' }, 'payload'],
    ['escalate_strategy_change', { reason: '', next_action_hint: 'h' }, 'payload'],
    [
      'alert',
      { severity: 'high', summary: 's', detail: { evidence: { patch_path: '/etc/x' } } },
      'path_outside_session_dir',
    ],
    [
      'alert',
      { severity: 'high', summary: 's', detail: { source_file: '/opt/x.cu' } },
      'source_file_outside_trusted_scope',
    ],
  ])('stops %s %j', (type, payload, expected) => {
    expect(rule(type, payload)).toBe(expected);
  });

  it('says what would be right', () => {
    const wrong = { intent_type: 'delegate', payload: { action_name: 'report' } };
    expect(violationOf(wrong, open)).toMatchObject({
      hint: 'one of recover',
      reason: expect.stringContaining('report'),
    });
  });

  it('lets only alerts and messages through in the closing phase', () => {
    expect(rule('alert', { severity: 'high', summary: 's' }, closing)).toBeUndefined();
    expect(rule('send_message', { topic: 't' }, closing)).toBeUndefined();
    expect(rule('delegate', { action_name: 'recover', params: evidence }, closing)).toBe(
      'closing_phase_only_report',
    );
    expect(rule('prune_branch', { family: 'f', reason: 'r' }, closing)).toBe('closing_phase_only_report');
    expect(rule('update_state', { changes: { crash_count: 1 } }, closing)).toBe('closing_phase_only_report');
    expect(rule('propose_action', {}, closing)).toBe('role');
  });

  it('answers whatever the payload holds', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ROLE_INTENT_TYPES),
        fc.dictionary(fc.string(), fc.jsonValue()),
        (intent_type, payload) => {
          const found = violationOf({ intent_type, payload: JSON.parse(JSON.stringify(payload)) }, open);
          expect(found === undefined || found.rule.length > 0).toBe(true);
        },
      ),
    );
  });
});

describe('paths in an intent', () => {
  const inside = ['/srv/s', '/srv/s/', '/srv/s/runs/x', '/srv/s/a/../b', '', '  '];
  const outside = ['/srv/s2', '/srv', '/srv/s/../x', 'runs/x', './x', '~/x', '/'];

  it.each(inside)('may be %j', (path) => {
    expect(escapingPath({ detail: { evidence: { workspace: path } } }, '/srv/s')).toBeUndefined();
  });

  it.each(outside)('may not be %j', (path) => {
    expect(escapingPath({ detail: { evidence: { workspace: path } } }, '/srv/s')).toEqual({
      key: 'workspace',
      rule: 'path_outside_session_dir',
    });
  });

  it('are judged by the nearest key, through lists', () => {
    expect(escapingPath({ patch_path: [['/srv/s/a', '/etc']] }, '/srv/s')?.key).toBe('patch_path');
    expect(escapingPath({ patch_path: { note: '/etc' } }, '/srv/s')).toBeUndefined();
    expect(escapingPath({ result_path: '/etc', log: '/etc' }, '/srv/s')).toBeUndefined();
  });

  it('may be a word that says there is no source', () => {
    for (const word of ['not found', 'n/a', '<unresolved>', 'aiter (vendor)']) {
      expect(escapingPath({ source_file: word }, '/srv/s')).toBeUndefined();
    }
    expect(escapingPath({ patch_path: 'none' }, '/srv/s')?.rule).toBe('path_outside_session_dir');
  });

  it('move to a key of their own, in place, and keep the alert', () => {
    const intent = {
      intent_type: 'alert',
      payload: {
        severity: 'high',
        summary: 's',
        detail: {
          subject: { kernel_id: 'k', patch_path: '/opt/x.diff' },
          evidence: {
            workspace: '/srv/s/w',
            source_file: ['/srv/s/a.cu', '/opt/b.cu'],
            list: [{ report_path: 'r' }],
          },
        },
      },
    };
    const moved = moveExternalPaths(intent, '/srv/s');
    expect(moved.payload['detail']).toEqual({
      subject: { kernel_id: 'k', patch_path_external: '/opt/x.diff' },
      evidence: {
        workspace: '/srv/s/w',
        source_file_external: ['/srv/s/a.cu', '/opt/b.cu'],
        list: [{ report_path_external: 'r' }],
      },
    });
    expect(violationOf(moved, open)).toBeUndefined();
  });

  it('never survive the move', () => {
    const key = fc.constantFrom('patch_path', 'source_file', 'workspace', 'note', 'detail');
    const path = fc.constantFrom('/srv/s/x', '/etc', 'rel', 'none', '', '/srv/s/../x');
    const tree = fc.letrec((tie) => ({
      node: fc.oneof(
        { depthSize: 'small' },
        path,
        fc.array(tie('node'), { maxLength: 3 }),
        fc.dictionary(key, tie('node'), { maxKeys: 4 }),
      ),
    })).node;
    fc.assert(
      fc.property(fc.dictionary(key, tree), (payload) => {
        const intent: Intent = { intent_type: 'alert', payload: JSON.parse(JSON.stringify(payload)) };
        const moved = moveExternalPaths(intent, '/srv/s');
        expect(escapingPath(moved.payload, '/srv/s')).toBeUndefined();
        expect(JSON.stringify(moved).replaceAll('_external', '')).toBe(JSON.stringify(intent));
      }),
    );
  });
});

describe('builders', () => {
  it('keep the wire order of keys', () => {
    const keys = (intent: Intent) => Object.keys(intent.payload);
    expect(keys(heartbeat())).toEqual(['topic', 'body_md']);
    expect(
      keys(sendMessage({ topic: 't', to: 'critic', body_md: '', extras: { detail: {}, topic: 'no' } })),
    ).toEqual(['topic', 'body_md', 'to', 'detail']);
    expect(sendMessage({ topic: 't', to: '', extras: { topic: 'no' } }).payload).toEqual({ topic: 't' });
    expect(keys(delegateRecover({ params: {}, idempotency_key: '' }))).toEqual(['action_name', 'params']);
  });

  it('refuse what has no meaning', () => {
    expect(alert({ severity: 'critical', summary: 's' }).ok).toBe(false);
    expect(alert({ severity: 'low', summary: '' }).ok).toBe(false);
    expect(alert({ severity: 'low', summary: 's', detail: {} })).toEqual({
      ok: true,
      intent: { intent_type: 'alert', payload: { severity: 'low', summary: 's', detail: {} } },
    });
    expect(pruneBranch({ family: '', reason: 'r' }).ok).toBe(false);
    expect(pruneBranch({ family: 'f', reason: '' }).ok).toBe(false);
    expect(escalateStrategyChange({ reason: 'r', next_action_hint: '' }).ok).toBe(false);
    expect(escalateStrategyChange({ reason: 'r', next_action_hint: 'h', severity: 'x' }).ok).toBe(false);
    expect(escalateStrategyChange({ reason: 'r', next_action_hint: 'h' })).toMatchObject({
      intent: { payload: { severity: 'medium' } },
    });
    expect(updateState({}).ok).toBe(false);
    const foreign: object = { phase: 'x', crash_count: 1 };
    expect(updateState(foreign).ok).toBe(false);
    expect(updateState({ crash_count: 0 }).ok).toBe(true);
  });
});
