/**
 * The requests to one identity provider, and the log line for one that failed: which one, what was expected and what the provider sent
 * instead, without secrets. Errors do not say it, because they may be shown to users.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { CustomFetch } from 'openid-client';
import { describeError, loggedText, type Logger } from '../../core/support/logger.js';
import type { Telemetry } from '../../core/support/telemetry.js';
import { cappedFetch } from './capped-fetch.js';
import { oauthFailure } from './failure.js';
import { comparisonIn, maskedText, type Comparison } from './failed-comparison.js';
import { isObject, parseAnswer, toleratedAnswer, type ProviderRequest } from './answers.js';
import { errorIn, errorOfRefusal, type ReportedError } from './reported-error.js';

/** Long enough for the sentence of a provider, which is not ours. */
const maxText = 300;

/** A request, or a step without one: the response that the browser brings, and the mapping of the profile. */
interface Step extends ReportedError {
  endpoint: ProviderRequest | 'authorization' | 'profile';
  /** The URL without its query, which may contain a code or a token. */
  request?: string;
  status?: number;
  contentType?: string | undefined;
  isJson?: boolean;
  /** An error of the provider, whatever its status. */
  isRefusal?: boolean;
  /** Why there is no response. */
  failure?: string;
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
  private running = 0;

  constructor(
    private readonly provider: string,
    private readonly logger: Logger,
    private readonly telemetry: Telemetry | null = null,
  ) {}

  /** Returns the `fetch` of the provider, whose requests are remembered until the work that needs them has ended. */
  fetch({ allowHttp, isOpenId, requestTo }: RequestOptions): CustomFetch {
    const send = this.traced(cappedFetch(allowHttp), requestTo);
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
      this.remember(step, answer, response);
      const tolerated = toleratedAnswer(endpoint, { response, answer }, isOpenId);
      step.isRefusal = !tolerated.ok;
      return tolerated;
    };
  }

  /** As `send`, in a span without the URL, whose path and query may contain an id or a code. */
  private traced(send: CustomFetch, requestTo: RequestOptions['requestTo']): CustomFetch {
    const { provider, telemetry } = this;
    if (!telemetry) return send;
    return (url, options) => {
      const { hostname, port, protocol } = new URL(url);
      const attributes = {
        'http.request.method': options.method,
        'server.address': hostname,
        'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
        'svc_auth.provider': provider,
        'svc_auth.endpoint': requestTo(url),
      };
      return telemetry.span('provider.request', { kind: 'client', attributes }, async (annotate) => {
        const response = await send(url, options);
        annotate({ 'http.response.status_code': response.status });
        return response;
      });
    };
  }

  /** Marks the next step of the current work. */
  enter(step: Step): void {
    const trace = this.traces.getStore();
    if (trace) trace.step = step;
  }

  /** Marks the response that the browser brings, which may be an error (RFC 6749, 4.1.2.1; Facebook names the fields differently). */
  enterResponse(answer: URLSearchParams): void {
    const { code: _code, ...fields } = Object.fromEntries(answer);
    this.enter({ endpoint: 'authorization', ...errorOfRefusal(fields, null) });
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
    this.running += 1;
    try {
      return { trace, result: await this.traces.run(trace, work) };
    } catch (error) {
      // Any value can be thrown; only what is read from it counts.
      return { trace, error: (error ?? new Error('not an error')) as Error };
    } finally {
      this.running -= 1;
      // Node.js tracks every promise of the process while one is enabled, and keeps it forever.
      if (this.running === 0) this.traces.disable();
    }
  }

  private remember(step: Step, answer: unknown, { headers, ok }: Response): void {
    const fields = isObject(answer) ? answer : {};
    // Some providers put the tokens into `data`.
    for (const { access_token, refresh_token, id_token } of [fields, Object(fields['data']) as typeof fields])
      for (const token of [access_token, refresh_token, id_token]) this.conceal(token);
    const isRefusal = !ok || (step.endpoint === 'token' && fields['access_token'] === undefined);
    Object.assign(
      step,
      isRefusal ? errorOfRefusal(fields, headers.get('www-authenticate')) : errorIn(fields),
    );
  }

  private log({ step, secrets }: Trace, error: unknown, cause: unknown, message: string): void {
    const concealed = [...secrets];
    const text = (value: unknown) =>
      typeof value === 'string' || typeof value === 'number'
        ? loggedText(String(value), concealed).slice(0, maxText)
        : undefined;
    const ofProvider = (value: unknown) => {
      const cleaned = text(value);
      // A number is a code of the provider.
      return cleaned === undefined || typeof value === 'number' ? cleaned : maskedText(cleaned);
    };
    const { endpoint, request, status, contentType } = step;
    const { claim, expected, actual } = comparisonOf(error) ?? expectation(step);
    this.logger.warn(
      {
        event: 'provider_failed',
        provider: this.provider,
        endpoint,
        request: text(request),
        status,
        contentType: text(contentType),
        error: ofProvider(step.error),
        errorDescription: ofProvider(step.errorDescription),
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
function comparisonOf(error: unknown): Comparison | null {
  try {
    return comparisonIn(error);
  } catch {
    return null;
  }
}

/** A code of the system or of TLS, not a response that was too long; an error of the provider; or a page instead of data. */
function isUnavailable({ contentType = '', failure, isJson, isRefusal }: Step): boolean {
  const isPage = isJson === false && !/jwt/i.test(contentType);
  return isRefusal === true || isPage || /^(?:timeout|[A-Z][A-Z0-9_]+)$/.test(failure ?? '');
}

/** What every request expects. */
function expectation({ failure, status, isJson, contentType }: Step): Comparison {
  if (failure !== undefined) return { expected: 'a response', actual: failure };
  if (status === undefined) return {};
  if (status < 200 || status > 299) return { expected: 'status 200', actual: `status ${status}` };
  return isJson === false ? { expected: 'JSON', actual: contentType ?? 'no content type' } : {};
}

/** The code of the system or of TLS, such as `ENOTFOUND`, which is the innermost cause. */
function networkFailure(error: unknown, depth = 0): string {
  const { code, message, name, cause } = Object(error) as Record<string, unknown>;
  if (cause !== undefined && depth < 3) return networkFailure(cause, depth + 1);
  if (name === 'TimeoutError') return 'timeout';
  return typeof code === 'string' ? code : String(message);
}
