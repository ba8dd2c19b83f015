import type { Severity } from '../../../src/signals/symptom.js';

/** What is drawn around the mark of an alert. */
export interface MarkFrame {
  /** It belongs to no fault. */
  readonly isWrong: boolean;
  readonly isDestructive: boolean;
}

const SHAPES: Readonly<Record<Severity, string>> = {
  high: '<path class="high" d="M10 3L17 15L3 15Z"/>',
  medium: '<circle class="medium" cx="10" cy="10" r="5"/>',
  low: '<circle class="low" cx="10" cy="10" r="4" stroke-width="2"/>',
};

/** An alert in a box of 20 by 20: a triangle, a dot or a ring by severity, crossed out when wrong, framed when it destroys. */
export function mark(severity: Severity, { isWrong, isDestructive }: MarkFrame, title = ''): string {
  const cross = isWrong ? '<path class="frame" stroke-width="2" d="M2 2L18 18M18 2L2 18"/>' : '';
  const square = isDestructive ? '<rect class="frame" x="1" y="1" width="18" height="18"/>' : '';
  return `${title === '' ? '' : `<title>${title}</title>`}${SHAPES[severity]}${cross}${square}`;
}

/** The marks with their meaning in words. */
export function legend(): string {
  const plain = { isWrong: false, isDestructive: false };
  const items = [
    [mark('high', plain), 'high alert'],
    [mark('medium', plain), 'medium alert'],
    [mark('medium', { ...plain, isWrong: true }), 'crossed out: wrong'],
    [mark('high', { ...plain, isDestructive: true }), 'framed: with a destructive intent'],
    [
      '<rect class="band" y="4" width="10" height="12"/><rect class="seen" x="10" y="4" width="10" height="12"/>',
      'a fault; dark from where it can be seen',
    ],
    ['<path class="stroke" d="M6 5v10M14 5v10"/>', 'a look of the agent'],
  ] as const;
  const drawn = items.map(
    ([svg, text]) => `<li><svg width="20" height="20" aria-hidden="true">${svg}</svg>${text}</li>`,
  );
  return `<ul class="legend">${drawn.join('')}</ul>`;
}
