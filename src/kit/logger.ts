/** The seam to the application's logger, in pino's argument order, and what may pass through it. */

export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/**
 * What a log may know of an error: no properties beyond these, because a database error carries the row's values
 * and an SMTP error the message. Addresses inside the text are masked, line breaks escaped.
 */
export function describeError(error: unknown, depth = 0): Record<string, unknown> {
  if (!(typeof error === 'object' && error !== null && 'message' in error))
    return { message: 'not an error' };
  const { name, message, code, stack, cause } = error as Error & { code?: unknown };
  return {
    name,
    message: clean(message),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    // The first line repeats the message.
    stack: stack
      ?.split('\n')
      .slice(1)
      .map((line) => line.trim()),
    ...(cause !== undefined && depth < 3 ? { cause: describeError(cause, depth + 1) } : {}),
  };
}

function clean(text: unknown): string {
  return String(text)
    .slice(0, 2000)
    .replace(/([^\s@<>"']{1,64})@/g, (_, local: string) => `${local[0]}***@`)
    .replace(/[\r\n]+/g, '\\n');
}
