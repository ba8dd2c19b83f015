import { lazy } from '../../foreign/lazy.js';
import type { LogFile } from './candidates.js';
import type { HitCollector } from './hits.js';
import type { LogJudge } from './judge-record.js';
import type { NewlyRead } from './read-log.js';
import { WorkTrace } from './survival.js';

/** Judges new records up to one that only the next look can judge; gives its position. */
export function judgeNew(
  collected: HitCollector,
  judge: LogJudge,
  read: NewlyRead,
  file: Pick<LogFile, 'name' | 'isServerLog'>,
): number | undefined {
  const trace = lazy(() => new WorkTrace(read.lines, read.quietS));
  for (const record of read.records) {
    const finding = judge.judge(record);
    if (finding === undefined) continue;
    const { offset } = record;
    const mayWait = offset !== read.resumedAt && read.mayReadAgain(offset);
    const afterwards = file.isServerLog ? trace().after(record, mayWait) : 'unknown';
    if (afterwards === 'open') return offset;
    const survived = afterwards === 'survived';
    collected.add(finding, { file: file.name, offset, isReplaced: read.isReplaced, survived });
  }
  return undefined;
}
