import { type JsonObject, nonBlank } from '../../../foreign/json.js';
import { trimPython } from '../../../foreign/python-space.js';
import { isTruthy } from '../../../foreign/python-truth.js';
import type { BusRow } from '../../bus.js';
import { payloadOf, scalarText, senderOf, stampOf, topicOf } from '../../shared/bus-row.js';
import type { Symptom } from '../../symptom.js';

export interface DenialLimits {
  readonly threshold: number;
  /** s; 0 = any age. */
  readonly windowS: number;
  readonly nowUnix: number;
}

/** Agents whose intents the policy keeps denying, in first-seen order (spec 03 §7.1, event-4, event-5). */
export function policyDenied(
  bus: readonly BusRow[],
  { threshold, windowS, nowUnix }: DenialLimits,
): Symptom[] {
  const rulesByAgent = new Map<string, Map<string, number>>();
  for (const row of bus) {
    const payload = payloadOf(row);
    if (topicOf(row) !== 'observation' || payload?.['kind'] !== 'policy_denied') continue;
    if (windowS > 0 && (stampOf(row, nowUnix) ?? nowUnix) < nowUnix - windowS) continue;
    const agent = deniedAgent(row, payload);
    const rules = rulesByAgent.get(agent) ?? new Map<string, number>();
    rulesByAgent.set(agent, rules);
    const rule = nameOf(payload['rule']);
    rules.set(rule, (rules.get(rule) ?? 0) + 1);
  }
  return [...rulesByAgent].flatMap(([agent, rules]) => {
    const count = [...rules.values()].reduce((sum, n) => sum + n, 0);
    return count >= threshold ? [symptomOf(agent, rules, count, threshold)] : [];
  });
}

/** Who was denied: the addressee where the Coordinator wrote the row, else its sender. */
function deniedAgent(row: BusRow, payload: JsonObject): string {
  const sender = senderOf(row);
  const addressee = nonBlank(row.row['to_agent']);
  if (trimPython(sender) === 'coordinator' && addressee !== undefined && addressee !== '*') return addressee;
  return sender === '' ? nameOf(payload['source']) : sender;
}

function nameOf(value: JsonObject[string]): string {
  return (isTruthy(value) ? scalarText(value) : undefined) ?? 'unknown';
}

function symptomOf(
  agent: string,
  rules: ReadonlyMap<string, number>,
  count: number,
  threshold: number,
): Symptom {
  let topRule = '';
  let most = 0;
  for (const [rule, n] of rules) {
    if (n > most) [topRule, most] = [rule, n];
  }
  return {
    name: 'repeated_policy_denied',
    severity: 'medium',
    summary: `${agent} was denied ${count} times by the policy (threshold ${threshold}); top rule: ${topRule}`,
    evidence: { from: agent, count, top_rule: topRule, rule_distribution: Object.fromEntries(rules) },
    subject: { agent },
    source: 'coordinator_events',
    suggestion:
      'Change the strategy, or review the action catalogue and the role configuration of this agent.',
  };
}
