import { isObject, listOr, objectOr, objectsOf, text } from '../../../foreign/json.js';
import { pathProblem } from '../../safety/confine.js';
import { numberOf, optionalNumber, optionalString, stringOf } from '../arguments.js';
import { linesOf, sliceOutcome } from '../slice.js';
import { failed, type Tool, type ToolOutcome } from '../tool.js';
import type { Repository } from './repository.js';

const RAW = 'application/vnd.github.raw+json';
const MAX_FILE_BYTES = 256 * 1024;
const MAX_SEARCHES = 10;
const MAX_FOUND = 50;
const REF = /^[\w./-]{1,200}$/;

/** The reading calls of a code host, as plain GETs; nothing that writes exists here. */
export function githubTools(repository: Repository): Tool[] {
  return [
    searchCode(repository),
    findFiles(repository),
    getFileContents(repository),
    getFileSlice(repository),
    listCommits(repository),
  ];
}

function searchCode({ http, name }: Repository): Tool {
  let asked = 0;
  let disabled: string | null = null;
  return {
    name: 'search_code',
    capability: 'github',
    family: 'github',
    description: 'Code search of the host; covers few forks, so prefer find_files.',
    parameters: { q: { type: 'string', doc: 'words to find' } },
    async run(args, { signal, clean }) {
      if (disabled !== null) return failed('error', disabled);
      if (asked >= MAX_SEARCHES)
        return failed('denied', `at most ${MAX_SEARCHES} searches per run; use find_files`);
      asked += 1;
      const words = stringOf(args, 'q')
        .replace(/\brepo:\S+/g, '')
        .trim();
      const answer = await http.get(
        { path: ['search', 'code'], query: { q: `repo:${name} ${words}` } },
        signal,
      );
      if (!answer.ok) {
        if (answer.status === 403 || answer.status === 429)
          disabled = 'the code search is limited by its host; use find_files';
        return failed('error', disabled ?? answer.problem);
      }
      const paths = objectsOf(objectOr(answer.body)['items']).flatMap((item) => text(item['path']) ?? []);
      return listed(
        { query: words, paths: paths.slice(0, MAX_FOUND).map(clean) },
        paths.length,
        'nothing was found; use find_files, then get_file_slice',
      );
    },
  };
}

function findFiles(repository: Repository): Tool {
  return {
    name: 'find_files',
    capability: 'github',
    family: 'github',
    description: 'Paths of the repository that end in a name, such as AdService.java.',
    parameters: {
      name: { type: 'string', doc: 'end of the path' },
      ref: { type: 'string', default: 'HEAD', doc: 'branch, tag or commit' },
    },
    async run(args, { signal, clean }) {
      const ref = stringOf(args, 'ref');
      if (!isRef(ref)) return failed('denied', 'this is no reference');
      const tree = await repository.tree(ref, signal);
      if (typeof tree === 'string') return failed('error', tree);
      const suffix = stringOf(args, 'name');
      const paths = tree.files.filter((path) => path.toLowerCase().endsWith(suffix.toLowerCase()));
      return listed(
        { name: suffix, paths: paths.slice(0, MAX_FOUND).map(clean) },
        paths.length,
        'no path ends in this',
      );
    },
  };
}

function getFileContents(repository: Repository): Tool {
  return {
    name: 'get_file_contents',
    capability: 'github',
    family: 'github',
    description: 'A whole file of at most 256 KiB, or the entries of a directory.',
    parameters: {
      path: { type: 'string', maxLength: 1024, doc: 'path in the repository' },
      ref: { type: 'string', optional: true, doc: 'branch, tag or commit' },
    },
    async run(args, { signal, clean }) {
      const read = await fetchFile(repository, stringOf(args, 'path'), optionalString(args, 'ref'), signal);
      if (!read.ok) return read.outcome;
      if (read.entries !== null) {
        const entries = read.entries.map(({ type, path }) => ({ type, path: clean(path) }));
        return { status: 'ok', cls: 'none', data: { path: read.path, entries }, count: entries.length };
      }
      if (Buffer.byteLength(read.text) > MAX_FILE_BYTES)
        return failed('error', `larger than ${MAX_FILE_BYTES} bytes; use get_file_slice`);
      const lines = linesOf(read.text).map(clean);
      return {
        status: lines.length === 0 ? 'empty' : 'ok',
        cls: 'source',
        data: { path: read.path, total_lines: lines.length, content: lines.join('\n') },
        count: lines.length,
        source: { path: read.path, lineStart: 1, lineEnd: lines.length, lines },
        hasContent: lines.some((line) => line.trim() !== ''),
      };
    },
  };
}

function getFileSlice(repository: Repository): Tool {
  return {
    name: 'get_file_slice',
    capability: 'github',
    family: 'github',
    description: 'Numbered lines of a repository file around one line.',
    parameters: {
      path: { type: 'string', maxLength: 1024, doc: 'path in the repository' },
      around_line: { type: 'integer', minimum: 1, doc: 'line of interest' },
      context: { type: 'integer', default: 40, minimum: 0, maximum: 100, doc: 'lines before and after' },
      ref: { type: 'string', optional: true, doc: 'branch, tag or commit' },
    },
    async run(args, { signal, clean }) {
      const read = await fetchFile(repository, stringOf(args, 'path'), optionalString(args, 'ref'), signal);
      if (!read.ok) return read.outcome;
      if (read.entries !== null) return failed('error', 'this is a directory');
      return sliceOutcome(
        read.path,
        read.text,
        numberOf(args, 'around_line', 1),
        numberOf(args, 'context', 40),
        clean,
      );
    },
  };
}

function listCommits(repository: Repository): Tool {
  return {
    name: 'list_commits',
    capability: 'github',
    family: 'other',
    description: 'Recent commits, of one path when given. They are leads, never evidence.',
    parameters: {
      path: { type: 'string', maxLength: 1024, optional: true, doc: 'path in the repository' },
      since_minutes: { type: 'integer', optional: true, minimum: 1, maximum: 10_080, doc: 'how far back' },
    },
    async run(args, { signal, now, clean }) {
      const minutes = optionalNumber(args, 'since_minutes');
      const since = minutes === undefined ? undefined : new Date((now() - minutes * 60) * 1000).toISOString();
      const query = { path: optionalString(args, 'path'), since, per_page: 20 };
      const answer = await repository.http.get({ path: repository.path('commits'), query }, signal);
      if (!answer.ok) return failed('error', answer.problem);
      const commits = objectsOf(answer.body)
        .slice(0, 20)
        .map((entry) => {
          const commit = objectOr(entry['commit']);
          const message = text(commit['message'])?.split('\n', 1)[0] ?? '';
          return {
            sha: text(entry['sha']) ?? null,
            date: text(objectOr(commit['committer'])['date']) ?? null,
            message: clean(message),
          };
        });
      return listed({ commits }, commits.length, 'no commit in this time');
    },
  };
}

type FileRead =
  | { readonly ok: true; readonly path: string; readonly text: string; readonly entries: null }
  | {
      readonly ok: true;
      readonly path: string;
      readonly text: '';
      readonly entries: readonly { type: string; path: string }[];
    }
  | { readonly ok: false; readonly outcome: ToolOutcome };

async function fetchFile(
  { http, path: of }: Repository,
  path: string,
  ref: string | undefined,
  signal: AbortSignal,
): Promise<FileRead> {
  const relative = path.replace(/^\/+|\/+$/g, '');
  const problem = relative === '' ? null : pathProblem(relative);
  if (problem !== null) return { ok: false, outcome: failed('denied', problem) };
  if (ref !== undefined && !isRef(ref))
    return { ok: false, outcome: failed('denied', 'this is no reference') };
  const segments = relative === '' ? [] : relative.split('/');
  const answer = await http.get(
    { path: of('contents', ...segments), query: { ref }, accept: RAW, as: 'text' },
    signal,
  );
  if (!answer.ok) {
    return {
      ok: false,
      outcome: failed('error', answer.status === 404 ? 'there is no such file' : answer.problem),
    };
  }
  const entries = directoryEntries(answer.text);
  return entries === null
    ? { ok: true, path: relative, text: answer.text, entries: null }
    : { ok: true, path: relative, text: '', entries };
}

/** A directory comes as a JSON list of entries even where raw text is asked for. */
function directoryEntries(source: string): { type: string; path: string }[] | null {
  if (!source.startsWith('[')) return null;
  try {
    const parsed: unknown = JSON.parse(source);
    const entries = listOr(parsed)
      .filter(isObject)
      .flatMap((entry) => {
        const [type, path] = [text(entry['type']), text(entry['path'])];
        return type !== undefined && path !== undefined ? [{ type, path }] : [];
      });
    return entries.length > 0 && entries.length === listOr(parsed).length ? entries : null;
  } catch {
    return null;
  }
}

function isRef(ref: string): boolean {
  return (
    REF.test(ref) && !ref.split('/').some((segment) => segment === '' || segment === '.' || segment === '..')
  );
}

function listed(data: ToolOutcome['data'], count: number, advice: string): ToolOutcome {
  return {
    status: count === 0 ? 'empty' : 'ok',
    cls: 'none',
    data,
    count,
    ...(count === 0 ? { note: advice } : {}),
  };
}
