import { outgoingText } from '../../foreign/hygiene.js';
import { type CauseClass, causeClassOf } from './cause-class.js';

/** What a model's answer comes to. */
export interface RcaText {
  /** Empty when the evidence did not suffice. */
  readonly text: string;
  readonly causeClass?: CauseClass;
}

const CAUSE_LINE = /^[\s*_`>-]*cause[\s*_`]*:[\s*_`]*([A-Za-z_]+)[\s*_`.]*$/i;
const INSUFFICIENT = /^["'`*\s]*insufficient evidence["'`*.\s]*$/i;

/**
 * The prose of an answer and the class on its last line (spec 08 §21), cleaned and cut (spec 05 B.11). The fixed phrase for
 * too little evidence becomes no text.
 */
export function readAnswer(answer: string, maxChars: number): RcaText {
  const lines = outgoingText(answer).trimEnd().split('\n');
  const word = CAUSE_LINE.exec(lines.at(-1) ?? '')?.[1];
  const prose = (word === undefined ? lines : lines.slice(0, -1)).join('\n').trim();
  const causeClass = word === undefined ? undefined : causeClassOf(word);
  return {
    text: INSUFFICIENT.test(prose) ? '' : truncate(prose, maxChars),
    ...(causeClass && { causeClass }),
  };
}

/** At most `limit` characters (at least 3), the last three of a cut text being dots. */
export function truncate(text: string, limit: number): string {
  const room = Math.max(3, limit);
  if (text.length <= room) return text;
  const characters = [...text];
  if (characters.length <= room) return text;
  return `${characters
    .slice(0, room - 3)
    .join('')
    .trimEnd()}...`;
}
