import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Json, parseJson } from '../../foreign/json.js';
import { statOf } from '../../foreign/stat.js';
import { readTextBounded } from '../../sources/tools/read-file.js';
import { type HealResult, isCancelledResult } from '../model/heal-result.js';
import { ID_PATTERN } from '../store/paths.js';
import type { Archive, InvestigationSummary, StoredInvestigation } from './archive.js';
import { readReceipt, readResult } from './stored-forms.js';

const MAX_RESULT_BYTES = 2 * 1024 * 1024;
const MAX_RECEIPT_BYTES = 16 * 1024 * 1024;
const MAX_PAYLOAD_BYTES = 128 * 1024;
const MAX_LISTED = 200;

/** One without a result that was written to so recently is taken to be at work in another process, ms. */
const SIGN_OF_LIFE_MS = 120_000;

/**
 * The investigations below a directory, as spec 07 B2 lays them out; nothing there is an empty archive.
 *
 * @param now wall clock, ms
 */
export function createFileArchive(directory: string, now: () => number = Date.now): Archive {
  const readJson = (path: string, maxBytes: number): Json | null => {
    const file = readTextBounded(path, { maxBytes });
    const parsed = file.ok ? parseJson(file.text) : null;
    return parsed?.ok === true ? parsed.value : null;
  };
  const resultOf = (id: string) => readResult(readJson(join(directory, id, 'result.json'), MAX_RESULT_BYTES));
  const isAlive = (id: string): boolean => {
    const changed = statOf(join(directory, id, 'receipts.jsonl')) ?? statOf(join(directory, id));
    return changed !== undefined && now() - changed.mtimeMs < SIGN_OF_LIFE_MS;
  };
  const statusOf = (id: string, result: HealResult | null): InvestigationSummary['status'] => {
    if (result !== null) return isCancelledResult(result) ? 'aborted' : 'finished';
    return isAlive(id) ? 'running' : 'aborted';
  };
  const summaryOf = (id: string): InvestigationSummary => {
    const result = resultOf(id);
    const cause = result?.root_cause ?? null;
    return {
      investigation_id: id,
      status: statusOf(id, result),
      created_unix: secondsOf(id),
      issue_summary: result?.issue_summary ?? null,
      error_type: cause?.error_type ?? null,
      subject: cause?.subject ?? null,
      confidence: cause?.confidence ?? null,
      confidence_level: cause?.confidence_level ?? null,
    };
  };
  return {
    list: () => namesIn(directory).slice(0, MAX_LISTED).map(summaryOf),
    read(id): StoredInvestigation | null {
      if (!namesIn(directory).includes(id)) return null;
      const file = readTextBounded(join(directory, id, 'receipts.jsonl'), { maxBytes: MAX_RECEIPT_BYTES });
      const lines = file.ok ? file.text.split('\n') : [];
      const receipts = lines.flatMap((line) => {
        // A line that was broken off is no receipt.
        const parsed = parseJson(line);
        const receipt = parsed.ok ? readReceipt(parsed.value) : null;
        return receipt === null ? [] : [receipt];
      });
      const result = resultOf(id);
      return { result, receipts, isRunning: result === null && isAlive(id) };
    },
    payload: (id, receiptId) => {
      if (!ID_PATTERN.test(id) || !/^r\d{1,6}$/.test(receiptId)) return null;
      return readJson(join(directory, id, 'payloads', `${receiptId}.json`), MAX_PAYLOAD_BYTES);
    },
  };
}

/** Newest first. */
function namesIn(directory: string): string[] {
  try {
    const names = readdirSync(directory).filter((name) => ID_PATTERN.test(name));
    return names.sort((a, b) => secondsOf(b) - secondsOf(a) || (a < b ? 1 : -1));
  } catch {
    // Nothing was investigated yet.
    return [];
  }
}

function secondsOf(name: string): number {
  return Number(name.split('-')[1] ?? 0);
}
