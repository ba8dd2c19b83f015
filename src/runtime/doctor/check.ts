/** One thing that was looked at. */
export interface Check {
  readonly name: string;
  /** `info`: nothing to judge. `warn`: works, but sees less. `fail`: does not do its job. */
  readonly status: 'ok' | 'info' | 'warn' | 'fail';
  readonly found: string;
  /** What to do about it; absent when there is nothing to do. */
  readonly todo?: string;
}

export const ok = (name: string, found: string): Check => ({ name, status: 'ok', found });
export const info = (name: string, found: string, todo?: string): Check =>
  withTodo({ name, status: 'info', found }, todo);
export const warn = (name: string, found: string, todo?: string): Check =>
  withTodo({ name, status: 'warn', found }, todo);
export const fail = (name: string, found: string, todo?: string): Check =>
  withTodo({ name, status: 'fail', found }, todo);

function withTodo(check: Check, todo: string | undefined): Check {
  return todo === undefined ? check : { ...check, todo };
}
