import { band, byId, counted, el, utc } from './dom.js';
import { evidenceButton } from './evidence.js';

export function clearResult() {
  byId('result').replaceChildren();
}

export function showResult(result) {
  byId('result').replaceChildren(card(result));
}

export function showFailure(message) {
  byId('result').replaceChildren(
    el('div', { class: 'card failure' }, el('h2', {}, 'No result'), el('p', {}, message)),
  );
}

function card(result) {
  const { root_cause: cause } = result;
  return el(
    'article',
    { class: 'card result', 'aria-labelledby': 'cause-title' },
    el(
      'div',
      { class: 'verdict' },
      band(cause.confidence_level, `${cause.confidence_level} ${Math.round(cause.confidence * 100)} %`),
      el('span', { class: 'type' }, cause.error_type.replaceAll('_', ' ')),
      el('span', { class: 'mode' }, result.mode === 'llm' ? 'by a model, checked by rules' : 'by rules, without a model'),
    ),
    scale(cause),
    el('h2', { id: 'cause-title' }, 'Root cause'),
    el('p', { class: 'cause' }, cause.description),
    place(cause),
    raise(result),
    claims(result),
    chain(result),
    fix(result),
    alternatives(result),
    fineprint(result),
  );
}

/** How far the confidence is from the next band; widths of the bands are those of the default limits. */
function scale({ confidence, confidence_level: level }) {
  const percent = Math.round(Math.min(1, Math.max(0, confidence)) * 100);
  const marker = el('span', { class: 'marker' });
  marker.style.left = `${percent}%`;
  const parts = ['low', 'medium', 'high'].map((name) =>
    el('span', { class: name === level ? `part part-${name} is-on` : `part part-${name}` }),
  );
  return el('div', { class: 'scale', role: 'img', 'aria-label': `${percent} %, band ${level}` }, ...parts, marker);
}

function place(cause) {
  const where = cause.file_path === null ? '' : `${cause.file_path}${cause.line_number === null ? '' : `:${cause.line_number}`}`;
  return pairs([
    ['subject', cause.subject ?? ''],
    ['service', cause.service ?? ''],
    ['source', where],
    ['matched', (cause.fingerprints ?? []).join(', ')],
  ]);
}

/** The band and what stands between it and the next one. */
function raise({ root_cause: cause, confidence_note: note, claimed_confidence: claimed }) {
  const isHigh = cause.confidence_level === 'high';
  const cut =
    typeof claimed === 'number' && claimed >= cause.confidence + 0.05
      ? el('p', {}, `Claimed was ${Math.round(claimed * 100)} %; the evidence does not carry that.`)
      : null;
  if (note === null && cut === null) return null;
  return el(
    'section',
    { class: 'raise' },
    el('h3', {}, isHigh ? 'About this band' : 'What would raise it'),
    cut,
    ...(note ?? '').split(' | ').filter((part) => part !== '').map((part) => el('p', {}, sentence(part))),
  );
}

function claims({ investigation_id: id, root_cause: cause }) {
  if (cause.claims.length === 0) return null;
  const list = el('ol', { class: 'claims' });
  for (const claim of cause.claims) {
    const item = el('li', { class: claim.verified ? 'claim' : 'claim unverified' });
    const line = el('p', {}, claim.text, ' ');
    if (!claim.verified) line.append(el('span', { class: 'tag' }, 'not verified'), ' ');
    item.append(line);
    for (const receipt of claim.receipt_ids) {
      line.append(evidenceButton(id, receipt, item, { quote: claim.quote }), ' ');
    }
    list.append(item);
  }
  return el('section', {}, el('h3', {}, 'Evidence'), list);
}

function chain({ investigation_id: id, propagation = [] }) {
  if (propagation.length === 0) return null;
  const list = el('ol', { class: 'chain' });
  for (const link of propagation) {
    const item = el('li', {});
    const line = el(
      'p',
      {},
      el('strong', {}, link.source),
      ` ${link.condition} `,
      el('span', { class: 'arrow', 'aria-label': 'leads to' }, '→'),
      ' ',
      el('strong', {}, link.target),
      ` ${link.effect} `,
    );
    item.append(line);
    for (const receipt of link.receipt_ids) line.append(evidenceButton(id, receipt, item), ' ');
    list.append(item);
  }
  return el('section', {}, el('h3', {}, 'How it spread'), list);
}

function fix({ recommended_fix: text, fix_code_snippet: snippet }) {
  if (text === '' && snippet === null) return null;
  return el(
    'section',
    {},
    el('h3', {}, 'Recommended fix'),
    text === '' ? null : el('p', { class: 'prose' }, text),
    snippet === null ? null : el('pre', { tabindex: '0' }, snippet),
  );
}

function alternatives({ alternatives: others = [] }) {
  if (others.length === 0) return null;
  const rows = others.map(({ error_type: type, subject, score }) =>
    el('li', {}, `${type.replaceAll('_', ' ')}${subject === null ? '' : `, ${subject}`} `, el('span', { class: 'score' }, score.toFixed(2))),
  );
  return el('section', {}, el('h3', {}, 'Other explanations'), el('ul', { class: 'plain' }, ...rows));
}

function fineprint(result) {
  const { budget, time_window: window, warnings = [], tools_unavailable: missing = [], investigation_id: id } = result;
  const spent = [
    counted(budget.tool_calls, 'tool call'),
    ...(budget.model_requests > 0 ? [counted(budget.model_requests, 'model request')] : []),
    ...(budget.input_tokens > 0 ? [`${budget.input_tokens + budget.output_tokens} tokens`] : []),
    `${budget.wall_s.toFixed(1)} s`,
    ...(budget.exhausted === null ? [] : [`stopped: ${budget.exhausted}`]),
  ];
  return el(
    'details',
    { class: 'fineprint' },
    el('summary', {}, `How this was found${warnings.length === 0 ? '' : ` (${counted(warnings.length, 'warning')})`}`),
    pairs([
      ['searched', `${utc(window.start_unix)} to ${utc(window.end_unix)}`],
      ['spent', spent.join(', ')],
      ['not configured', missing.join(', ')],
      ['id', id],
    ]),
    warnings.length === 0 ? null : el('ul', { class: 'warnings' }, ...warnings.map((text) => el('li', {}, text))),
  );
}

function pairs(entries) {
  const list = el('dl', { class: 'pairs' });
  for (const [name, value] of entries) {
    if (value !== '') list.append(el('div', {}, el('dt', {}, name), el('dd', {}, value)));
  }
  return list.childElementCount === 0 ? null : list;
}

function sentence(text) {
  const trimmed = text.trim();
  return `${trimmed.charAt(0).toUpperCase()}${trimmed.slice(1)}${/[.!?]$/.test(trimmed) ? '' : '.'}`;
}
