import { cutCodePoints, wellFormed } from '../../foreign/hygiene.js';
import { withShortUserFields } from './user-fields.js';

/** Longest line that is kept, characters (spec 07 B8.3). */
export const MAX_LINE = 2000;
const ANSI = /\u001b(?:\[[0-9;?]{0,32}[ -/]?[@-~]|\][^\u0007\u001b]{0,512}(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
const HIDDEN = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;
const BLOB = /[A-Za-z0-9+/=_-]{201,}/g;
const LONG_QUERY = /\?([^\s"'<>?]{121,})/g;
const USER_FIELD_LIMIT = 120;

export interface CleanedText {
  readonly text: string;
  /** Characters that a reader cannot see were taken out. */
  readonly hadHidden: boolean;
}

/** Foreign text made safe to read: no control, ANSI or invisible characters, no encoded blobs, bounded lines. */
export function cleanForeign(source: string): CleanedText {
  const visible = source.replace(ANSI, '').replace(CONTROLS, '');
  // A byte order mark at the start of a file is no trick.
  const text = visible.replace(/^\ufeff/, '').replace(HIDDEN, '');
  const hadHidden = text.length < visible.replace(/^\ufeff/, '').length;
  const shown = wellFormed(text).replace(BLOB, describeBlob).replace(LONG_QUERY, shortenQuery);
  return { text: withShortUserFields(shown, USER_FIELD_LIMIT, userField), hadHidden };
}

/** The same for one line, cut. */
export function cleanLine(source: string): CleanedText {
  const { text, hadHidden } = cleanForeign(
    source.length > MAX_LINE * 4 ? source.slice(0, MAX_LINE * 4) : source,
  );
  return { text: cutCodePoints(text, MAX_LINE), hadHidden };
}

/** A value that users control, cut and marked (spec 07 B12). */
export function userField(value: string): string {
  return value.length <= USER_FIELD_LIMIT
    ? value
    : `${cutCodePoints(value, USER_FIELD_LIMIT)}… [user text cut]`;
}

function describeBlob(blob: string): string {
  // A long path is no blob.
  return /(?:\/[\w.-]{1,60}){3}/.test(blob) ? blob : `[${blob.length} encoded characters left out]`;
}

function shortenQuery(_match: string, query: string): string {
  return `?${userField(query)}`;
}
