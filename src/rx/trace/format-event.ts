import type { TraceEvent } from './event.js';

/**
 * One event as the line that the reference writes, newline included: nine keys in fixed order, a space after each comma
 * and colon, ASCII only (spec 06 A.1).
 */
export function formatTraceEvent(event: TraceEvent): string {
  const fields = event.divergence_fields.map(asciiText).join(', ');
  const classification =
    event.failure_classification === null ? 'null' : asciiText(event.failure_classification);
  return [
    `{"event_id": ${asciiText(event.event_id)}`,
    `"run_id": ${asciiText(event.run_id)}`,
    `"turn": ${event.turn}`,
    `"agent_id": ${asciiText(event.agent_id)}`,
    `"action_taken": {"tool_name": ${asciiText(event.tool_name)}, "tool_input": {}}`,
    `"action_succeeded": ${event.action_succeeded}`,
    `"divergence_fields": [${fields}]`,
    `"failure_classification": ${classification}`,
    `"latency_ms": {"total": ${event.latency_total_ms}}}\n`,
  ].join(', ');
}

function asciiText(text: string): string {
  return JSON.stringify(text).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
