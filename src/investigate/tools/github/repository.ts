import { objectOr, objectsOf, text } from '../../../foreign/json.js';
import { createFileTree, type FileTree } from '../../evidence/file-tree.js';
import type { HttpClient } from '../../safety/http-client.js';

/** A repository behind the code host's REST API; its tree is asked for once per run and reference. */
export interface Repository {
  readonly name: string;
  readonly http: HttpClient;
  path(...segments: string[]): string[];
  tree(ref: string, signal: AbortSignal): Promise<FileTree | string>;
}

export function openRepository(name: string, http: HttpClient): Repository {
  const [owner = '', repo = ''] = name.split('/');
  const trees = new Map<string, Promise<FileTree | string>>();
  const path = (...segments: string[]): string[] => ['repos', owner, repo, ...segments];
  const fetchTree = async (ref: string, signal: AbortSignal): Promise<FileTree | string> => {
    const answer = await http.get({ path: path('git', 'trees', ref), query: { recursive: 1 } }, signal);
    if (!answer.ok) return answer.problem;
    const files = objectsOf(objectOr(answer.body)['tree']).flatMap((entry) =>
      entry['type'] === 'blob' ? (text(entry['path']) ?? []) : [],
    );
    return createFileTree(files);
  };
  return {
    name,
    http,
    path,
    tree: (ref, signal) => {
      const known = trees.get(ref) ?? fetchTree(ref, signal);
      trees.set(ref, known);
      return known;
    },
  };
}

/** True when the repository answers; anything but 200 makes the code host unavailable (spec 07 A3.3, B4). */
export async function isReachable({ http, path }: Repository, signal: AbortSignal): Promise<boolean> {
  const answer = await http.get({ path: path() }, signal);
  return answer.ok && answer.status === 200;
}
