import { createRequire } from 'node:module';
import type { JsonObject } from '../../foreign/json.js';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** A static message and its data; the data never goes into the message (charter §6). */
export type LogWrite = (message: string, fields?: JsonObject) => void;

export interface Logger {
  readonly debug: LogWrite;
  readonly info: LogWrite;
  readonly warn: LogWrite;
  readonly error: LogWrite;
}

/** The level that a text names, undefined for none of {@link LOG_LEVELS}. */
export function logLevel(name: string | undefined): LogLevel | undefined {
  const lower = name?.trim().toLowerCase();
  return LOG_LEVELS.find((level) => level === lower);
}

interface PinoLike {
  debug(fields: JsonObject, message: string): void;
  info(fields: JsonObject, message: string): void;
  warn(fields: JsonObject, message: string): void;
  error(fields: JsonObject, message: string): void;
}

/**
 * A pino logger on stderr. The library is loaded with the first line that is really written, because a quiet tick must not
 * pay for it.
 */
export function createLogger(level: LogLevel): Logger {
  let backend: PinoLike | undefined;
  const threshold = LOG_LEVELS.indexOf(level);
  const write = (name: keyof Logger & LogLevel): LogWrite => {
    if (LOG_LEVELS.indexOf(name) < threshold) return () => undefined;
    return (message, fields = {}) => {
      backend ??= loadPino(level);
      backend[name](fields, message);
    };
  };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

function loadPino(level: LogLevel): PinoLike {
  const pino: typeof import('pino') = createRequire(import.meta.url)('pino');
  return pino.pino({ level, base: null }, pino.destination({ dest: 2, sync: true }));
}
