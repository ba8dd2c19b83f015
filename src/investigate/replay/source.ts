import { listOr } from '../../foreign/json.js';
import type { CassetteReader, CassetteWriter } from '../../llm/cassette.js';
import { createFileTree, type FileTree } from '../evidence/file-tree.js';
import { readSourceSlice, type SourceRoot } from '../tools/session/source-slice.js';
import type { Tool } from '../tools/tool.js';
import { recordTool, replayTool } from './tools.js';

/** What a run can read of local source roots. */
export interface LocalSource {
  readonly tools: readonly Tool[];
  readonly trees: readonly FileTree[];
}

const KIND = 'session';
const TREES = 'source_trees';

/** The roots as they are. */
export function localSourceOf(roots: readonly SourceRoot[]): LocalSource {
  if (roots.length === 0) return { tools: [], trees: [] };
  return { tools: [readSourceSlice(roots)], trees: roots.map(({ tree }) => tree) };
}

/** The roots, with their files listed and what is read of them recorded. */
export function recordSource(roots: readonly SourceRoot[], cassette: CassetteWriter): LocalSource {
  const { tools, trees } = localSourceOf(roots);
  if (trees.length > 0)
    cassette.record(
      KIND,
      TREES,
      null,
      trees.map(({ files }) => files),
    );
  return { tools: tools.map((tool) => recordTool(tool, cassette)), trees };
}

/** The recorded roots; none where none were recorded. */
export function replaySource(cassette: CassetteReader): LocalSource {
  if (!cassette.has(KIND, TREES)) return { tools: [], trees: [] };
  const taken = cassette.take(KIND, TREES);
  const trees = listOr(taken.ok ? taken.response : null).map((files) =>
    createFileTree(listOr(files).filter((path) => typeof path === 'string')),
  );
  return { tools: [replayTool(readSourceSlice([]), cassette)], trees };
}
