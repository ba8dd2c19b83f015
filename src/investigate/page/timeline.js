import { band, byId, counted, el } from './dom.js';
import { evidenceButton } from './evidence.js';

const STATUS = { ok: 'answered', empty: 'nothing', error: 'failed', denied: 'refused', replay_miss: 'not recorded' };

/** The steps of one run, in the order in which they were made. */
export function createTimeline(investigationId) {
  const list = byId('steps');
  const counts = { steps: 0 };
  let lastLevel = null;
  list.replaceChildren();
  byId('steps-box').hidden = true;
  return {
    get count() {
      return counts.steps;
    },
    add(step) {
      counts.steps += 1;
      byId('steps-box').hidden = false;
      byId('steps-count').textContent = String(counts.steps);
      const level = levelOf(step.confidence_after);
      const rose = level !== null && level !== (lastLevel ?? 'low') ? band(level, `supports ${level}`) : null;
      lastLevel = level ?? lastLevel;
      const item = el('li', { class: `step step-${STATUS[step.status] === undefined ? 'error' : step.status}` });
      const head = el(
        'div',
        { class: 'step-head' },
        el('code', { class: 'tool' }, step.tool),
        el('span', { class: 'status' }, STATUS[step.status] ?? step.status),
        rose,
      );
      const body = el('div', { class: 'step-body' }, head, el('p', {}, step.result_summary));
      if (typeof step.receipt_id === 'string') {
        head.append(evidenceButton(investigationId, step.receipt_id, body));
      }
      item.append(el('span', { class: 'round', 'aria-hidden': 'true' }, String(step.round)), body);
      list.append(item);
    },
  };
}

/** What a step's ceiling stands for; null where nobody judged. */
function levelOf(confidence) {
  if (typeof confidence !== 'number') return null;
  if (confidence >= 0.85) return 'high';
  return confidence >= 0.55 ? 'medium' : 'low';
}

export function progressText({ phase, budget }, steps) {
  const parts = [phase, counted(budget?.tool_calls ?? steps, 'call')];
  if (budget?.model_requests > 0) parts.push(counted(budget.model_requests, 'model request'));
  if (budget !== null) parts.push(`${budget.wall_s.toFixed(1)} s`);
  return parts.join(' · ');
}
