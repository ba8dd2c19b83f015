import type { LogDetector } from './detectors.js';
import { isWordCharacter, type Span } from './language.js';
import { EXCEPTION } from './last-words.js';

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
/** Text of a user or of the model, quoted after its name, or after whoever said it. */
const QUOTED_TEXT =
  /(?<![a-z0-9])(?:(?:prompt|text|content|completion|query|question|instruction|answer|title)s?["']?[ \t]{0,2}[:=]?[ \t]{0,2}\[?["']|\((?:assistant|user|human)\): ?["'])/;
/** A remark on what is over, was mended, or happened to something else that is gone. */
const OF_THE_PAST =
  /\b(?:previous|last|earlier|former) (?:run|boot|state)\b|\bboot \w{1,40} ended\b|\b(?:bugfix|changelog)\b|\bfix(?:ed|es)? (?:an? |the )?["']?$/;
/** What comes after a failure that was got round. */
const GOT_ROUND =
  /\btrying (?:the )?(?:next|another|again|port)\b|\bskipp(?:ed|ing)\b|\bfalling back\b|\bexpected on this platform\b|\bpassed(?: \[ {0,2}\d{1,3}%\])?$/;
/** A line of metrics: its labels say what is counted. */
const METRIC = /^[a-z_:][\w:]{0,200}\{[^{}]{0,2000}\} [\d.e+-]{1,30}$/;
/** A level of its own kind at the beginning of a line, after stamps and tags. */
const LEVEL = /\b(?:trace|debug|info|warn|warning|error|critical|fatal)\b/;
const LEVEL_REACH = 80;
const EXCEPTION_REACH = 1000;
const TELLS_OF_ERRORS = /error|critical|fatal/;
/** Below a warning, what is quoted is what somebody said or asked for. */
const TELLS_OF_NOTHING = /trace|debug|info/;

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

/** What others said, as a server repeats it, what is over, and what is counted; unless the line itself is of an error. */
function isEcho(line: string, span: Span): boolean {
  if (line.includes(' http/') && ACCESS.test(line)) return true;
  const level = LEVEL.exec(line.slice(0, Math.min(span.start, LEVEL_REACH)))?.[0] ?? '';
  if (TELLS_OF_ERRORS.test(level) || EXCEPTION.test(line.slice(0, EXCEPTION_REACH))) return false;
  const lead = line.slice(0, span.start);
  if (QUOTED_TEXT.test(lead) || OF_THE_PAST.test(lead) || METRIC.test(line)) return true;
  if (GOT_ROUND.test(line.slice(span.end))) return true;
  return TELLS_OF_NOTHING.test(level) && isInQuotes(line, span);
}

/** True when a quotation mark stands somewhere before and one of the same kind somewhere after; not the one in `it's`. */
function isInQuotes(line: string, span: Span): boolean {
  return ['"', "'"].some((mark) => {
    const opens = line.indexOf(mark);
    const isApostrophe = opens > 0 && isWordCharacter(line[opens - 1]) && isWordCharacter(line[opens + 1]);
    return opens !== -1 && !isApostrophe && opens < span.start && line.lastIndexOf(mark) >= span.end;
  });
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
