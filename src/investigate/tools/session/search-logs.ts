import { closeSync } from 'node:fs';
import { pathEntities } from '../../evidence/entities.js';
import { logItems } from '../../evidence/log-items.js';
import { TemplateCounter } from '../../evidence/log-templates.js';
import type { EvidenceItem, FetchedLine } from '../../model/evidence.js';
import { openConfined } from '../../safety/confine.js';
import { globPattern } from '../../safety/glob.js';
import { withoutKeys } from '../../safety/key-blocks.js';
import { literalPattern, safePattern } from '../../safety/pattern.js';
import { numberOf, optionalNumber, optionalString, stringOf } from '../arguments.js';
import { failed, type Tool, type ToolContext } from '../tool.js';
import { type LogMatch, scanLog } from './scan-log.js';
import type { SessionFiles } from './session.js';

const SCAN_BYTES = 64 * 1024 * 1024;
/** No single file may take the whole scan from the others. */
const FILE_BYTES = SCAN_BYTES / 4;
const FILE_MS = 4000;
/** An expression from elsewhere gets less time per file (spec 07 B8.3). */
const REGEX_FILE_MS = 200;
const MAX_FILES = 200;

/** `search_session_logs` (spec 07 B4.2); `internal` is a pattern of our own, for the collector's word list. */
export function searchSessionLogs(files: SessionFiles, hostOffsetS: number, internal: RegExp): Tool {
  return {
    name: 'search_session_logs',
    capability: 'session',
    family: 'session',
    description:
      'Searches the logs of the session (runs/**, logs/**, agents/*/*.log), newest file first; templates count the lines that differ only in numbers, beyond the limit too. Lines are numbered from 1; a negative number counts from the end of a file too large to read whole.',
    parameters: {
      pattern: {
        type: 'string',
        doc: 'literal text in any letter case; with regex true an expression; "@errors" means the usual words of failure',
      },
      regex: { type: 'boolean', default: false, doc: 'pattern is an expression' },
      path_glob: {
        type: 'string',
        optional: true,
        doc: 'only logs whose path fits, such as runs/explore/**/server.log',
      },
      since_unix: { type: 'number', optional: true, doc: 'only lines from then on, unix seconds' },
      until_unix: { type: 'number', optional: true, doc: 'only lines until then, unix seconds' },
      limit: { type: 'integer', default: 100, minimum: 1, maximum: 500, doc: 'lines at most' },
      context: { type: 'integer', default: 0, minimum: 0, maximum: 10, doc: 'lines before and after each' },
      newest_first: { type: 'boolean', default: true, doc: 'order of the answer' },
    },
    async run(args, context) {
      const source = stringOf(args, 'pattern');
      const compiled =
        source === '@errors'
          ? { ok: true as const, pattern: internal }
          : args['regex'] === true
            ? safePattern(source)
            : { ok: true as const, pattern: literalPattern(source) };
      if (!compiled.ok) return failed('error', compiled.problem);
      if (source === '') return failed('error', 'an empty pattern would find every line');
      const limit = numberOf(args, 'limit', 100);
      const glob = optionalString(args, 'path_glob');
      const wanted = glob === undefined ? null : globPattern(glob);
      const listing = files.logs();
      const chosen = listing.files.filter(({ path }) => wanted?.test(path) ?? true).slice(0, MAX_FILES);
      const found: Found[] = [];
      const templates = new TemplateCounter();
      let scanned = 0;
      let bytes = 0;
      let truncated = listing.truncated;
      for (const file of chosen) {
        if (bytes >= SCAN_BYTES || countOf(found) >= limit) {
          truncated = true;
          break;
        }
        const opened = openConfined(files.root, file.path);
        if (!opened.ok) continue;
        try {
          const result = await scanLog({
            ...opened,
            maxBytes: Math.min(SCAN_BYTES - bytes, chosen.length > 1 ? FILE_BYTES : SCAN_BYTES),
            pattern: compiled.pattern,
            limit: limit - countOf(found),
            context: numberOf(args, 'context'),
            sinceUnix: optionalNumber(args, 'since_unix') ?? null,
            untilUnix: optionalNumber(args, 'until_unix') ?? null,
            hostOffsetS,
            maxMs: args['regex'] === true ? REGEX_FILE_MS : FILE_MS,
            signal: context.signal,
          });
          scanned += 1;
          bytes += result.bytes;
          truncated ||= result.truncated;
          for (const { text, tsUnix } of [...result.older, ...result.matches]) templates.add(text, tsUnix);
          if (result.matches.length > 0) found.push({ path: file.path, matches: result.matches });
        } finally {
          closeSync(opened.fd);
        }
      }
      return outcomeOf(
        found,
        { scanned, bytes, truncated, templates, newestFirst: args['newest_first'] !== false },
        context,
      );
    },
  };
}

interface Found {
  readonly path: string;
  readonly matches: readonly LogMatch[];
}

function outcomeOf(
  found: readonly Found[],
  {
    scanned,
    bytes,
    truncated,
    templates,
    newestFirst,
  }: {
    scanned: number;
    bytes: number;
    truncated: boolean;
    templates: TemplateCounter;
    newestFirst: boolean;
  },
  { clean }: ToolContext,
) {
  const lines: FetchedLine[] = [];
  const items: EvidenceItem[] = [];
  const rows = found.flatMap(({ path, matches }) => {
    const shown = matches.map(({ before, text, after }) =>
      withoutKeys([...before, text, ...after]).map(clean),
    );
    const fetched = matches.map(({ line, tsUnix, before }, index) => ({
      source: path,
      line,
      tsUnix,
      text: shown[index]?.[before.length] ?? '',
    }));
    lines.push(...fetched);
    items.push(...logItems(fetched, pathEntities(path)));
    const listed = matches.map(({ line, tsUnix, before, after }, index) => ({
      path,
      line,
      ts_unix: tsUnix,
      text: fetched[index]?.text ?? '',
      ...(before.length > 0 || after.length > 0
        ? {
            before: shown[index]?.slice(0, before.length) ?? [],
            after: shown[index]?.slice(before.length + 1) ?? [],
          }
        : {}),
    }));
    return newestFirst ? listed.reverse() : listed;
  });
  const status = rows.length === 0 ? ('empty' as const) : ('ok' as const);
  return {
    status,
    cls: 'log' as const,
    data: {
      matches: rows,
      templates: templates.rows(clean),
      files_scanned: scanned,
      bytes_scanned: bytes,
      truncated,
    },
    count: rows.length,
    truncated,
    lines,
    items,
    errorSignal: 'error_lines_present',
    ...(status === 'empty' ? { note: `no line of ${scanned} logs fits` } : {}),
  };
}

function countOf(found: readonly Found[]): number {
  return found.reduce((sum, { matches }) => sum + matches.length, 0);
}
