/**
 * The interface to the application's logger, in pino's argument order, and the description of errors that it receives. Log lines
 * contain ids, client addresses and error codes; addresses and numbers of users only through `maskEmailAddress` and `maskPhoneNumber`;
 * never a secret (docs/operations.md). Tests search everything that is logged for secrets.
 */

export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The default logger: writes warnings and errors to the console. */
export const consoleLogger: Logger = {
  debug() {},
  info() {},
  warn: (fields, message) => console.warn(`svc-auth: ${message}`, JSON.stringify(fields)),
  error: (fields, message) => console.error(`svc-auth: ${message}`, JSON.stringify(fields)),
};

export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** Wraps the application's logger, so that its errors have no effect on the caller. */
export function safeLogger(logger: Logger): Logger {
  const guarded = (level: keyof Logger) => (fields: object, message: string) => {
    try {
      logger[level](fields, message);
    } catch {
      // A failure of the logger cannot be logged.
    }
  };
  return { debug: guarded('debug'), info: guarded('info'), warn: guarded('warn'), error: guarded('error') };
}

/**
 * Returns the properties of an error that may be logged. Others are omitted, because a database error contains the values of the row,
 * and an SMTP error the mail. Email addresses in the message are masked, `secrets` removed, line breaks escaped.
 */
export function describeError(
  error: unknown,
  secrets: readonly string[] = [],
  depth = 0,
): Record<string, unknown> {
  if (!hasMessage(error)) return { message: 'not an error' };
  const [name, message, code] = [read(error, 'name'), read(error, 'message'), read(error, 'code')];
  const [stack, cause] = [read(error, 'stack'), read(error, 'cause')];
  return {
    ...(typeof name === 'string' ? { name } : {}),
    message: typeof message === 'string' ? loggedText(message, secrets) : 'no text',
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    // Only the frames: the lines above them repeat the unmasked message.
    ...(typeof stack === 'string' ? { stack: stack.split('\n').filter((line) => /^\s+at /.test(line)) } : {}),
    ...(cause !== undefined && depth < 3 ? { cause: describeError(cause, secrets, depth + 1) } : {}),
  };
}

// Any value can be thrown. Its accessors may throw too, which must not make the logging of a failure fail.
function hasMessage(error: unknown): error is object {
  try {
    return typeof error === 'object' && error !== null && 'message' in error;
  } catch {
    return false;
  }
}

function read(error: object, property: keyof Error | 'code'): unknown {
  try {
    return (error as Record<string, unknown>)[property];
  } catch {
    return undefined;
  }
}

/**
 * Returns text of others in the form in which it may be logged: at most 2000 characters on one line, without `secrets`, local parts of
 * addresses, control characters and those that change the direction of what follows.
 */
export function loggedText(text: string, secrets: readonly string[] = []): string {
  return secrets
    .reduce((cleaned, secret) => cleaned.replaceAll(secret, '[secret]'), text)
    .slice(0, 2000)
    .replace(/([^\s@<>"']{1,64})@/g, (_, local: string) => `${local[0]}***@`)
    .replace(/[\r\n]+/g, '\\n')
    .replace(/[\p{Cc}\p{Bidi_Control}]/gu, ' ');
}
