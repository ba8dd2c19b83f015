/** Logs that may be searched (spec 07 B4.2). */
export const LOG_GLOBS = [
  'runs/**/server.log',
  'runs/**/server_log',
  'runs/**/*.log',
  'logs/**/*.log',
  'agents/*/*.log',
  '*.log',
] as const;

/** JSON files that may be read (spec 07 B4.2). */
export const JSON_GLOBS = [
  'state.json',
  'manifest.json',
  'session_breakdown.json',
  'reports/**/*.json',
  'profiles/*.json',
  'target_analysis/*.json',
  'runs/**/result.json',
  'runs/**/benchmark_report.json',
  'runs/**/inferencex_result.json',
  'runs/**/specialist_done.json',
  'runs/**/final_report.json',
  'runs/**/best_results.json',
  'critic-workdir/**/*.json',
] as const;
