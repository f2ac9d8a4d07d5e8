/** What the log says of a failed request to an identity provider: which request, what was expected, what came, and no secret. */
import { describeError } from '../../core/support/logger.js';
import { withoutAnswer } from './failure.js';

/** Long enough for the sentence of a provider, which is not ours. */
const maxText = 300;

export interface FailureReport {
  /** The URL without its query, which may contain a code or a token. */
  request?: string;
  status?: number;
  contentType?: string;
  /** `invalid_client` and its like (RFC 6749, 5.2). */
  error?: string;
  errorDescription?: string;
  /** The claim of an ID token that is not as expected. */
  claim?: string;
  expected?: string;
  actual?: string;
  err: unknown;
}

/** @returns what is known of the failure; at least the cleaned error. */
export function failureReport(error: unknown): FailureReport {
  const report: FailureReport = { err: describeError(withoutAnswer(error)) };
  try {
    describeCauses(error, report);
  } catch {
    // A function of the application may throw an object whose properties throw.
  }
  return report;
}

function describeCauses(error: unknown, report: FailureReport): void {
  for (
    let cause: unknown = error, depth = 0;
    depth < 5 && isObject(cause);
    cause = cause['cause'], depth += 1
  ) {
    if (cause instanceof Response) describeResponse(cause, report);
    if (typeof cause['status'] === 'number') report.status ??= cause['status'];
    if (typeof cause['request'] === 'string') report.request ??= cause['request'];
    if (typeof cause['error'] === 'string') report.error ??= maskedText(cause['error']);
    if (typeof cause['error_description'] === 'string')
      report.errorDescription ??= maskedText(cause['error_description']);
    describeClaim(cause, report);
    if (cause['response'] instanceof Response) describeResponse(cause['response'], report);
  }
}

function describeResponse({ url, status, headers }: Response, report: FailureReport): void {
  if (url !== '') report.request ??= withoutQuery(url);
  report.status ??= status;
  const type = headers.get('content-type');
  if (type !== null) report.contentType ??= textOf(type);
}

/** The claims that are not secret, of which openid-client says which one was wrong. */
const publicClaims: ReadonlySet<unknown> = new Set(['aud', 'azp', 'exp', 'iat', 'iss', 'nbf']);

function describeClaim(cause: Record<string, unknown>, report: FailureReport): void {
  const { claim, claims, expected } = cause;
  if (!publicClaims.has(claim) || !isObject(claims)) return;
  report.claim ??= String(claim);
  report.actual ??= textOf(JSON.stringify(claims[String(claim)]) ?? 'missing');
  if (expected !== undefined) report.expected ??= textOf(JSON.stringify(expected));
}

export function withoutQuery(url: string): string {
  if (!URL.canParse(url)) return '';
  const { origin, pathname } = new URL(url);
  return textOf(origin + pathname);
}

/** A provider may repeat the code, the token or the secret that it refuses: only words and error codes, such as AADSTS7000215, are kept. */
function maskedText(text: string): string {
  const words = textOf(text).split(' ');
  const isKept = (word: string) =>
    /^[\p{L}'’(),.:;"]{1,30}$|^[A-Z]{2,10}\d{1,10}:?$|^[a-z]+(?:_[a-z]+)*$/u.test(word);
  return words.map((word) => (word === '' || isKept(word) ? word : '[masked]')).join(' ');
}

// Control characters would forge lines of a log; a provider's text has no place for them.
function textOf(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').slice(0, maxText);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
