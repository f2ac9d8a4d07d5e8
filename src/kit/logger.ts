/** The seam to the application's logger, in pino's argument order, and what may pass through it. */

export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

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
  if (!(typeof error === 'object' && error !== null && 'message' in error))
    return { message: 'not an error' };
  const { name, message, code, stack, cause } = error as Error & { code?: unknown };
  return {
    name,
    message: clean(message, secrets),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    // Only the frames: the lines above them repeat the message, raw.
    stack: stack?.split('\n').filter((line) => /^\s+at /.test(line)),
    ...(cause !== undefined && depth < 3 ? { cause: describeError(cause, secrets, depth + 1) } : {}),
  };
}

function clean(text: unknown, secrets: readonly string[]): string {
  return secrets
    .reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), String(text))
    .slice(0, 2000)
    .replace(/([^\s@<>"']{1,64})@/g, (_, local: string) => `${local[0]}***@`)
    .replace(/[\r\n]+/g, '\\n');
}
