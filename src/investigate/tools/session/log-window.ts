import { closeSync } from 'node:fs';
import { pathEntities } from '../../evidence/entities.js';
import { logItems } from '../../evidence/log-items.js';
import type { FetchedLine } from '../../model/evidence.js';
import { openConfined } from '../../safety/confine.js';
import { matchesAny } from '../../safety/glob.js';
import { withoutKeys } from '../../safety/key-blocks.js';
import { numberOf, stringOf } from '../arguments.js';
import { failed, type Tool } from '../tool.js';
import { hasStamp, LineClock, LOOK_BACK, TAIL_LINES } from './line-times.js';
import { readLines } from './read-lines.js';
import { LOG_GLOBS } from './readable.js';
import type { SessionFiles } from './session.js';

/** `get_session_log_window` (spec 07 B4.2). */
export function getSessionLogWindow(files: SessionFiles, hostOffsetS: number): Tool {
  return {
    name: 'get_session_log_window',
    capability: 'session',
    family: 'session',
    description: 'The lines of a session log around one line, as search_session_logs numbers it.',
    parameters: {
      path: { type: 'string', maxLength: 1024, doc: 'path of the log, relative to the session directory' },
      line: {
        type: 'integer',
        minimum: -5_000_000,
        maximum: 50_000_000,
        doc: 'from 1; negative counts from the end',
      },
      before: { type: 'integer', default: 20, minimum: 0, maximum: 100, doc: 'lines before it' },
      after: { type: 'integer', default: 20, minimum: 0, maximum: 100, doc: 'lines after it' },
    },
    async run(args, { clean }) {
      const path = stringOf(args, 'path');
      if (!matchesAny(path, LOG_GLOBS)) return failed('denied', 'only logs of the session can be read');
      const wanted = numberOf(args, 'line', 1);
      if (wanted === 0) return failed('error', 'lines are counted from 1');
      const opened = openConfined(files.root, path);
      if (!opened.ok) return failed(opened.status, opened.reason);
      try {
        const read = readLines(
          opened,
          wanted - numberOf(args, 'before') - LOOK_BACK,
          wanted + numberOf(args, 'after'),
          wanted < 0,
        );
        const clock = new LineClock(
          opened.mtimeUnix,
          hostOffsetS,
          read.lines.findLast(({ text }) => hasStamp(text))?.text ?? null,
        );
        let last: { at: number; time: number } | null = null;
        const lines: FetchedLine[] = [];
        const masked = withoutKeys(read.lines.map(({ text }) => text));
        for (const [index, { line, text }] of read.lines.entries()) {
          const time = clock.timeOf(text);
          if (time !== null) last = { at: line, time };
          if (line < wanted - numberOf(args, 'before')) continue;
          const inherited = last !== null && line - last.at <= LOOK_BACK ? last.time : null;
          const isTail =
            line < 0 ? line >= -TAIL_LINES : read.total !== null && read.total - line < TAIL_LINES;
          lines.push({
            source: path,
            line,
            tsUnix: inherited ?? (isTail ? opened.mtimeUnix : null),
            text: clean(masked[index] ?? ''),
          });
        }
        if (lines.length === 0)
          return { ...failed('error', 'the file has no such line'), cls: 'log' as const };
        return {
          status: 'ok',
          cls: 'log',
          data: { path, lines: lines.map(({ line, text }) => ({ line, text })), total_lines: read.total },
          count: lines.length,
          lines,
          items: logItems(lines, pathEntities(path)),
          filePath: path,
          lineStart: lines[0]?.line ?? wanted,
          lineEnd: lines.at(-1)?.line ?? wanted,
          errorSignal: 'error_lines_present',
        };
      } finally {
        closeSync(opened.fd);
      }
    },
  };
}
