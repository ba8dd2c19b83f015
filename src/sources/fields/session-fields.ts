import type { ConfigFields } from '../../foreign/config-field.js';

/** Fields of the collectors that read the session's database, logs and state (spec 02 §1.1, §1.2). */
export const sessionFields = {
  coordinator_event_limit: {
    type: 'integer',
    default: 200,
    unit: 'count',
    maximum: 5000,
    doc: 'Newest bus rows in every snapshot; rows that arrived since the last tick come on top.',
  },
  state_integrity_enabled: {
    type: 'boolean',
    default: true,
    doc: 'Look at state.json, the write-ahead log, leases and the Coordinator process.',
  },
  server_log_path: {
    type: 'string',
    nullable: true,
    default: null,
    doc: 'A server log that is always read, wherever it lies; absolute, or relative to the session.',
  },
  server_log_extra_globs: {
    type: 'string',
    default: '',
    doc: 'Further logs: patterns relative to the session, separated by colons; neither absolute nor with "..".',
  },
  server_log_max_extra: {
    type: 'integer',
    default: 5,
    unit: 'count',
    maximum: 64,
    doc: 'Newest server logs read per tick, besides the primary one and the log of the Coordinator.',
  },
  log_tail_lines: {
    type: 'integer',
    default: 200,
    unit: 'count',
    maximum: 5000,
    doc: 'Lines per log kept in the snapshot for people; no rule reads them.',
  },
  log_error_patterns: {
    type: 'string_list',
    default: [],
    doc: 'Further literal texts to look for in logs; "*" stands for at most 80 characters. Always MEDIUM.',
  },
} as const satisfies ConfigFields;
