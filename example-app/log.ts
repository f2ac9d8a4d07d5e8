/** One line per event, for a terminal. In production use pino: it takes the same arguments. */
import type { Logger } from 'svc-auth';

const print = (level: keyof Logger) => (fields: object, message: string) => {
  const { err, ...rest } = fields as { err?: { message?: string; stack?: string[] } };
  const about = JSON.stringify(err ? { ...rest, err: { ...err, stack: undefined } } : rest);
  // A failure that is a bug needs its stack.
  console[level]([`${level}: ${message} ${about}`, ...(err?.stack ?? [])].join('\n'));
};

export const lineLogger: Logger = {
  debug: print('debug'),
  info: print('info'),
  warn: print('warn'),
  error: print('error'),
};
