import { SESSION_ERROR_PATTERN } from '../../engine/error-words.js';
import type { Tool } from '../tool.js';
import type { WithDatabase } from './database.js';
import { findingsHistory } from './findings-history.js';
import { listSessionSources } from './list-sources.js';
import { getSessionLogWindow } from './log-window.js';
import { queryEvents } from './query-events.js';
import { queryTasks } from './query-tasks.js';
import { readSessionJson } from './read-session-json.js';
import { searchSessionLogs } from './search-logs.js';
import type { SessionFiles } from './session.js';

/** The tools of a readable session directory. */
export function sessionTools(files: SessionFiles, withDatabase: WithDatabase, hostOffsetS: number): Tool[] {
  return [
    listSessionSources(files, withDatabase),
    queryEvents(withDatabase),
    queryTasks(withDatabase),
    searchSessionLogs(files, hostOffsetS, SESSION_ERROR_PATTERN),
    getSessionLogWindow(files, hostOffsetS),
    readSessionJson(files),
    findingsHistory(files),
  ];
}
