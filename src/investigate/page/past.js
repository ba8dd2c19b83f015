import { getJson } from './api.js';
import { ago, band, byId, el } from './dom.js';

const STATE = { running: 'running', failed: 'no result', aborted: 'broken off' };

/** The list of what was investigated, newest first. */
export async function showPast(currentId) {
  const { investigations } = await getJson('/investigations');
  byId('past-count').textContent = investigations.length === 0 ? '' : String(investigations.length);
  byId('past-none').hidden = investigations.length > 0;
  byId('past').replaceChildren(...investigations.map((one) => row(one, currentId)));
}

/** Marks the one that is shown, without asking again. */
export function markCurrent(currentId) {
  for (const link of byId('past').querySelectorAll('a')) {
    if (link.hash === `#${currentId}`) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  }
}

function row(one, currentId) {
  const { investigation_id: id, status, confidence_level: level, error_type: type } = one;
  const verdict =
    status === 'finished' && level !== null
      ? [band(level), el('span', {}, (type ?? '').replaceAll('_', ' '))]
      : [el('span', { class: `tag tag-${status}` }, STATE[status] ?? status)];
  return el(
    'li',
    {},
    el(
      'a',
      { href: `#${id}`, 'aria-current': id === currentId ? 'true' : null },
      el('span', { class: 'past-title' }, one.issue_summary ?? id),
      el('span', { class: 'past-facts' }, ...verdict, el('time', {}, ago(one.created_unix))),
    ),
  );
}
