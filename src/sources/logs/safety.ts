import type { LogDetector } from './detectors.js';
import { isWordCharacter, type Span } from './language.js';

/** Words that turn what follows into its opposite. */
const NEGATION = /(?:^|[^\w])(?:no|not|without|zero|0)[ \t]{1,8}$/;
/** A 0 that numbers something counts nothing: `rank 0 NCCL error`. */
const INDEX =
  /\b(?:rank|gpu|device|node|worker|core|shard|[tdpe]p|stage|ring|channel|process|pid|card|engine)[ \t:=#]{0,2}0[ \t]{1,8}$/;
/** What makes a counter or a setting of what precedes it. */
const COUNTER =
  /^s?[ \t]{0,8}(?:=[ \t]?(?:0(?![\d.]*[1-9]|x)|false)|:[ \t]{0,4}0(?![\d.]*[1-9]|x)|[_ -]?(?:rate|count)\b)/;
const ADVICE = /\bconsider\b|try setting|to avoid|recommended|see http/;
/** A line that reports a failure and in the same breath that it is over. */
const OVERCOME = /\b(?:failover|fallback|retry|recovery) (?:has )?succeeded\b/;
const BELOW_ERROR = /\b(?:debug|info|warning)\b/;
const NEGATION_REACH = 32;

/** A request that a web server tells of: what stands in its path or agent says nothing of the server. */
const ACCESS = /"(?:get|head|post|put|patch|delete|options) [^"]{1,4000} http\/\d/;
/** Text of a user or of the model, quoted after its name. */
const QUOTED_TEXT =
  /\b(?:prompt|text|content|completion|generated_text|query|question|instruction|answer)["']?[ \t]{0,2}[:=]?[ \t]{0,2}["']/;
/** A level of its own kind at the beginning of a line, after stamps and tags. */
const LEVEL = /\b(?:trace|debug|info|warn|warning|error|critical|fatal)\b/;
const LEVEL_REACH = 64;
const TELLS_OF_ERRORS = /error|critical|fatal/;

/** Tags, time stamps and levels that may stand before the first word of a line, in lower case. */
const PREFIX =
  /^(?:\s+|\[[^\]]{0,120}\]|\([^)]{0,80}\)|\d{1,4}[-/.]\d{1,2}(?:[-/.]\d{1,4})?(?:[t ]|$)|\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?z?|(?:debug|info|warning|warn|error|critical|fatal)\b|[:|>-])/;

/**
 * Whether a match is excused (spec 03 §8.2, safety constraint): negated, counted as none, part of another word, advice,
 * overcome, text of somebody else, or a remark below the level of an error.
 *
 * @param line the whole line in lower case
 */
export function isExcused(detector: LogDetector, line: string, span: Span): boolean {
  const before = line.slice(Math.max(0, span.start - NEGATION_REACH), span.start);
  if (NEGATION.test(before) && !INDEX.test(before)) return true;
  if (COUNTER.test(line.slice(span.end, span.end + 40))) return true;
  if (ADVICE.test(line.slice(0, span.start)) || OVERCOME.test(line)) return true;
  if (isEcho(line, span)) return true;
  if (detector.isHarmlessBelowError === true && BELOW_ERROR.test(line)) return true;
  if (detector.identifier === 'Killed') return !standsAlone(line, span);
  return /^\w+$/.test(detector.identifier) && isPartOfWord(line, span);
}

/** What others said, as a server repeats it: the text of a request, unless the line itself is of an error. */
function isEcho(line: string, span: Span): boolean {
  if (line.includes(' http/') && ACCESS.test(line)) return true;
  if (!QUOTED_TEXT.test(line.slice(0, span.start))) return false;
  const level = LEVEL.exec(line.slice(0, Math.min(span.start, LEVEL_REACH)))?.[0] ?? '';
  return !TELLS_OF_ERRORS.test(level);
}

function isPartOfWord(line: string, span: Span): boolean {
  // Languages that go on after their identifier end where they choose to.
  return (
    isWordCharacter(line[span.start - 1]) ||
    (isWordCharacter(line[span.end - 1]) && isWordCharacter(line[span.end]))
  );
}

/** True for the first word of the line, after tag, time stamp and level, and for the last. */
function standsAlone(line: string, span: Span): boolean {
  if (line.slice(span.end).trim() === '') return true;
  let rest = line.slice(0, span.start);
  for (let found = PREFIX.exec(rest); found !== null && rest !== ''; found = PREFIX.exec(rest)) {
    rest = rest.slice(found[0].length);
  }
  return rest === '';
}
