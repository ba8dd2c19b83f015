import { withoutKeys } from '../safety/key-blocks.js';
import { failed, type ToolOutcome } from './tool.js';

/** The lines around one line of a source text, as `get_file_slice` gives them (spec 07 A3.4, B4.1). */
export function sliceOutcome(
  path: string,
  text: string,
  line: number,
  context: number,
  clean: (line: string) => string,
): ToolOutcome {
  const all = linesOf(text);
  if (line > all.length && all.length > 0) {
    return failed('error', `the file has ${all.length} lines; line ${line} is beyond its end`);
  }
  const start = Math.max(1, line - context);
  const end = Math.min(all.length, line + context);
  const lines = all.slice(start - 1, end).map(clean);
  const isBlank = lines.every((one) => one.trim() === '');
  return {
    status: isBlank ? 'empty' : 'ok',
    cls: 'source',
    data: {
      path,
      around_line: line,
      start_line: start,
      end_line: end,
      total_lines: all.length,
      slice: lines.map((one, index) => `${start + index}: ${one}`).join('\n'),
    },
    count: lines.length,
    source: { path, lineStart: start, lineEnd: end, lines },
    hasContent: !isBlank && (lines[line - start] ?? '').trim() !== '',
  };
}

/** Lines without a last empty one after a final newline; those of key blocks are masked. */
export function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return withoutKeys(lines);
}
