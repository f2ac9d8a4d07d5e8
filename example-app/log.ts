/** A logger that prints one line per event to the terminal. In production use pino, which takes the same arguments. */
import type { Logger } from 'svc-auth';

const print = (level: keyof Logger) => (fields: object, message: string) => {
  const { err, ...rest } = fields as { err?: { message?: string; stack?: string[] } };
  const details = JSON.stringify(err ? { ...rest, err: { ...err, stack: undefined } } : rest);
  // Prints the stack of unexpected errors.
  console[level]([`${level}: ${message} ${details}`, ...(err?.stack ?? [])].join('\n'));
};

export const lineLogger: Logger = {
  debug: print('debug'),
  info: print('info'),
  warn: print('warn'),
  error: print('error'),
};
