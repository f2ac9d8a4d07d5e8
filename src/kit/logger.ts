/** The seam to the application's logger, in pino's argument order, and what may pass through it. */

export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The default: warnings and errors, to the console. */
export const consoleLogger: Logger = {
  debug() {},
  info() {},
  warn: (fields, message) => console.warn(`svc-auth: ${message}`, JSON.stringify(fields)),
  error: (fields, message) => console.error(`svc-auth: ${message}`, JSON.stringify(fields)),
};

export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** The application's logger, unable to break what it reports on. */
export function quietly(logger: Logger): Logger {
  const guarded = (level: keyof Logger) => (fields: object, message: string) => {
    try {
      logger[level](fields, message);
    } catch {
      // There is nobody left to tell.
    }
  };
  return { debug: guarded('debug'), info: guarded('info'), warn: guarded('warn'), error: guarded('error') };
}

/**
 * What a log may know of an error: no properties beyond these, because a database error carries the row's values
 * and an SMTP error the message. Addresses inside the text are masked, `secrets` struck out, line breaks escaped.
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
    message: typeof message === 'string' ? clean(message, secrets) : 'no text',
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    // Only the frames: the lines above them repeat the message, raw.
    ...(typeof stack === 'string' ? { stack: stack.split('\n').filter((line) => /^\s+at /.test(line)) } : {}),
    ...(cause !== undefined && depth < 3 ? { cause: describeError(cause, secrets, depth + 1) } : {}),
  };
}

// Anything can be thrown: an accessor of it may throw in turn, and whoever reports a failure must not fail of that.
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

function clean(text: string, secrets: readonly string[]): string {
  return secrets
    .reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text)
    .slice(0, 2000)
    .replace(/([^\s@<>"']{1,64})@/g, (_, local: string) => `${local[0]}***@`)
    .replace(/[\r\n]+/g, '\\n');
}
