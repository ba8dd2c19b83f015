import { writeFile } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import type { Document } from '../../rx/report/document.js';
import { toHtml, toMarkdown } from '../../rx/report/render.js';
import type { CommandIo } from '../shared/command.js';
import { writeAll } from '../shared/streams.js';
import { UserError } from '../shared/user-error.js';

/** What a command found, for people and for programs. */
export interface Report {
  readonly document: Document;
  readonly json: unknown;
}

/** Where and how a report goes. */
export interface ReportOptions {
  readonly json?: boolean;
  /** File; `.html` makes a page, anything else Markdown with pictures. */
  readonly output?: string;
}

/**
 * Writes a report: JSON with `--json`, else a page or Markdown; to the file, else to stdout, where Markdown has no pictures.
 *
 * @throws UserError `RA_OUTPUT` when the file cannot be written
 */
export async function writeReport(report: Report, options: ReportOptions, io: CommandIo): Promise<void> {
  const { output } = options;
  if (output === undefined) {
    await writeAll(
      io.stdout,
      options.json ? jsonText(report) : toMarkdown(report.document, { pictures: false }),
    );
    return;
  }
  const text = options.json ? jsonText(report) : fileText(report.document, output);
  try {
    await writeFile(resolve(io.cwd, output), text);
  } catch (error) {
    throw new UserError({
      code: 'RA_OUTPUT',
      happened: `${output} cannot be written: ${error instanceof Error ? error.message : String(error)}`,
      todo: 'check the path given with --output',
    });
  }
}

function fileText(document: Document, path: string): string {
  const page = ['.html', '.htm'].includes(extname(path).toLowerCase());
  return page ? toHtml(document) : toMarkdown(document, { pictures: true });
}

function jsonText({ json }: Report): string {
  return `${JSON.stringify(json, null, 2)}\n`;
}
