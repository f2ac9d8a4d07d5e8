/**
 * The requests to one identity provider, and the log line for one that failed: which one, what was expected and what the provider sent
 * instead, without secrets. Errors do not say it, because they may be shown to users.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { CustomFetch } from 'openid-client';
import { describeError, loggedText, type Logger } from '../../core/support/logger.js';
import { cappedFetch } from './capped-fetch.js';
import { oauthFailure } from './failure.js';
import { comparisonIn, maskedText, type Comparison } from './failed-comparison.js';
import { isObject, parseAnswer, toleratedAnswer, type ProviderRequest } from './answers.js';

/** Long enough for the sentence of a provider, which is not ours. */
const maxText = 300;

/** A request, or a step without one: the response that the browser brings, and the mapping of the profile. */
interface Step {
  endpoint: ProviderRequest | 'authorization' | 'profile';
  /** The URL without its query, which may contain a code or a token. */
  request?: string;
  status?: number;
  contentType?: string | undefined;
  isJson?: boolean;
  /** Why there is no response. */
  failure?: string;
  /** The fields of RFC 6749, 5.2. */
  error?: unknown;
  errorDescription?: unknown;
}

interface Trace {
  step: Step;
  secrets: Set<string>;
}

interface RequestOptions {
  allowHttp: boolean;
  /** Whether ID tokens are used: see `toleratedAnswer`. */
  isOpenId: boolean;
  requestTo: (url: string) => ProviderRequest;
}

export class ProviderRequests {
  private readonly traces = new AsyncLocalStorage<Trace>();

  constructor(
    private readonly provider: string,
    private readonly logger: Logger,
  ) {}

  /** Returns the `fetch` of the provider, whose requests are remembered until the work that needs them has ended. */
  fetch({ allowHttp, isOpenId, requestTo }: RequestOptions): CustomFetch {
    const send = cappedFetch(allowHttp);
    return async (url, options) => {
      const { origin, pathname } = new URL(url);
      const endpoint = requestTo(url);
      const step: Step = { endpoint, request: origin + pathname };
      this.enter(step);
      const response = await send(url, options).catch((error: unknown) => {
        step.failure = networkFailure(error);
        throw error;
      });
      step.status = response.status;
      const contentType = (step.contentType = response.headers.get('content-type') ?? undefined);
      const isForm = endpoint === 'token' && !/json|html/i.test(contentType ?? '');
      const answer = parseAnswer(await response.clone().text(), isForm);
      step.isJson = answer !== undefined;
      if (isObject(answer)) this.remember(step, answer);
      return toleratedAnswer(endpoint, { response, answer }, isOpenId);
    };
  }

  /** Marks the next step of the current work. */
  enter(step: Step): void {
    const trace = this.traces.getStore();
    if (trace) trace.step = step;
  }

  /** Excludes a secret of the current work from its log line. */
  conceal(secret: unknown): void {
    if (typeof secret === 'string' && secret !== '') this.traces.getStore()?.secrets.add(secret);
  }

  /**
   * Does work that needs the provider. A failure is logged, unless the user canceled.
   * @param secrets of the work, which are not logged. @throws OAuthError
   */
  async observe<T>(secrets: readonly (string | undefined)[], work: () => Promise<T>): Promise<T> {
    const { error, result, trace } = await this.attempt(secrets, work);
    if (error === undefined) return result;
    const failure = oauthFailure(error);
    // The failure of another piece of work, which has logged it.
    if (failure === error) throw failure;
    if (failure.reason !== 'access_denied')
      this.log(trace, error, failure.cause, 'an identity provider failed');
    throw failure;
  }

  /**
   * Makes a request that the sign-in does not need. If the provider cannot be reached or refuses it, that is logged, and the result is
   * undefined. @throws Error for a response that is false, which may be an attack.
   */
  async optional<T>(work: () => Promise<T>): Promise<T | undefined> {
    const { error, result, trace } = await this.attempt([...(this.traces.getStore()?.secrets ?? [])], work);
    if (error !== undefined && !isUnavailable(trace.step)) {
      this.enter(trace.step);
      throw error;
    }
    if (error !== undefined) {
      const message = 'an optional request to an identity provider failed; the sign-in continued without it';
      this.log(trace, error, oauthFailure(error).cause, message);
    }
    return result;
  }

  private async attempt<T>(
    secrets: readonly (string | undefined)[],
    work: () => Promise<T>,
  ): Promise<
    { trace: Trace; result: T; error?: undefined } | { trace: Trace; result?: undefined; error: Error }
  > {
    const known = secrets.filter((secret): secret is string => secret !== undefined && secret !== '');
    const trace: Trace = { step: { endpoint: 'authorization' }, secrets: new Set(known) };
    try {
      return { trace, result: await this.traces.run(trace, work) };
    } catch (error) {
      // Any value can be thrown; only what is read from it counts.
      return { trace, error: (error ?? new Error('not an error')) as Error };
    }
  }

  private remember(step: Step, answer: Record<string, unknown>): void {
    // Some providers put the tokens into `data`.
    for (const { access_token, refresh_token, id_token } of [answer, Object(answer['data']) as typeof answer])
      for (const token of [access_token, refresh_token, id_token]) this.conceal(token);
    const { error, error_description: description } = answer;
    // Facebook and Google's APIs describe errors in an object.
    const { type, code, status, message } = isObject(error) ? error : {};
    step.error = isObject(error) ? (type ?? status ?? code) : error;
    step.errorDescription = isObject(error) ? message : description;
  }

  private log({ step, secrets }: Trace, error: unknown, cause: unknown, message: string): void {
    const concealed = [...secrets];
    const text = (value: unknown) =>
      typeof value === 'string' || typeof value === 'number'
        ? loggedText(String(value), concealed).slice(0, maxText)
        : undefined;
    const ofProvider = (value: unknown) => {
      const cleaned = text(value);
      return cleaned === undefined ? undefined : maskedText(cleaned);
    };
    const { endpoint, request, status, contentType } = step;
    const { answered, comparison } = readable(error);
    const { claim, expected, actual } = comparison ?? expectation(step);
    this.logger.warn(
      {
        event: 'provider_failed',
        provider: this.provider,
        endpoint,
        request: text(request),
        status,
        contentType: text(contentType),
        error: ofProvider(step.error ?? answered.error),
        errorDescription: ofProvider(step.errorDescription ?? answered.error_description),
        claim,
        expected: text(expected),
        actual: text(actual),
        err: describeError(cause, concealed),
      },
      message,
    );
  }
}

/** A function of the application may throw an object whose properties throw. */
function readable(error: unknown): { answered: BrowserError; comparison: Comparison | null } {
  try {
    return { answered: ofBrowser(error), comparison: comparisonIn(error) };
  } catch {
    return { answered: {}, comparison: null };
  }
}

/** A code of the system or of TLS, not a response that was too long; or a status that refuses. */
function isUnavailable({ failure, status = 0 }: Step): boolean {
  return status >= 400 || /^(?:timeout|[A-Z][A-Z0-9_]+)$/.test(failure ?? '');
}

/** What every request expects. */
function expectation({ failure, status, isJson, contentType }: Step): Comparison {
  if (failure !== undefined) return { expected: 'a response', actual: failure };
  if (status === undefined) return {};
  if (status < 200 || status > 299) return { expected: 'status 200', actual: `status ${status}` };
  return isJson === false ? { expected: 'JSON', actual: contentType ?? 'no content type' } : {};
}

interface BrowserError {
  error?: unknown;
  error_description?: unknown;
}

/** The fields of an error that the browser brings (RFC 6749, 4.1.2.1). */
function ofBrowser(error: unknown): BrowserError {
  const isResponse = (Object(error) as { code?: unknown }).code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR';
  return isResponse ? (error as object) : {};
}

/** The code of the system or of TLS, such as `ENOTFOUND`, which is the innermost cause. */
function networkFailure(error: unknown, depth = 0): string {
  const { code, message, name, cause } = Object(error) as Record<string, unknown>;
  if (cause !== undefined && depth < 3) return networkFailure(cause, depth + 1);
  if (name === 'TimeoutError') return 'timeout';
  return typeof code === 'string' ? code : String(message);
}
