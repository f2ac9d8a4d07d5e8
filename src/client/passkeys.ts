/**
 * The passkey ceremonies. Nothing else loads `@simplewebauthn/browser`, and only when a ceremony
 * starts.
 */
import type { Ceremony, SignedIn, WithPasskey, WithUser } from './responses.js';
import { AuthClientError, type AuthClientErrorCode } from './error.js';
import { whileCreating, type PasskeySignaler } from './passkey-signals.js';
import type { TrustInput } from './second-factor-methods.js';
import type { ClientSignal, Send } from './transport.js';

type Browser = typeof import('@simplewebauthn/browser');
type CreationOptions = Parameters<Browser['startRegistration']>[0]['optionsJSON'];
type RequestOptions = Parameters<Browser['startAuthentication']>[0]['optionsJSON'];

export interface PasskeySupport {
  /** Whether the browser supports passkeys. */
  available: boolean;
  /** Whether the browser offers passkeys among the suggestions of a form. */
  autofill: boolean;
  /** Whether the browser can create a passkey by itself after a sign-in with a password. */
  automatic: boolean;
}

/** Returns what the browser supports. Loads no package. */
export async function passkeySupport(): Promise<PasskeySupport> {
  const { PublicKeyCredential: api } = globalThis as {
    PublicKeyCredential?: {
      isConditionalMediationAvailable?: () => Promise<boolean>;
      getClientCapabilities?: () => Promise<{ conditionalCreate?: boolean }>;
    };
  };
  const autofill = (await api?.isConditionalMediationAvailable?.()) ?? false;
  const capabilities = await api?.getClientCapabilities?.();
  const automatic = capabilities?.conditionalCreate === true;
  return { available: typeof api === 'function', autofill, automatic };
}

/** How a passkey is added. */
export interface PasskeyRegistrationOptions {
  /** By which the user recognizes the passkey. */
  name?: string;
  /**
   * Lets the browser create it without a prompt (`mediation: 'conditional'`), if its password manager has just filled in the password of
   * this account. Call it right after a sign-in with a password. Rejects if the browser does not, which is expected.
   */
  automatic?: boolean;
}

/** How a sign-in with a passkey begins. */
export interface PasskeySignInOptions {
  /**
   * Waits until the user picks a passkey from the suggestions of a form (`mediation: 'conditional'`),
   * as long as it takes: options that are about to expire are renewed.
   */
  autofill?: boolean;
  /** Ends the ceremony with `passkey_cancelled`, for a page that is left. */
  signal?: ClientSignal;
}

/** A new account with a passkey. Which fields are required depends on `webauthn.signUp`. */
export interface PasskeySignUpInput {
  email?: string;
  /** The code that `signupSend` has mailed. */
  code?: string;
  username?: string;
  /** The application's own fields: `signUp.fields` of the service. */
  fields?: Record<string, unknown>;
  /** The solution of the challenge of a `challenge_required` error. */
  challengeSolution?: string;
  /** By which the user recognizes the passkey. */
  name?: string;
}

/**
 * The ceremonies of one client. A browser runs one at a time, so a new one ends the one before it,
 * also one that is still waiting for its options.
 */
export function passkeyCeremonies(send: Send, signaler: PasskeySignaler) {
  let latest = {};

  /** Returns a function that throws if another ceremony has begun since. */
  function begin(signal?: AbortSignal): () => void {
    const own = (latest = {});
    return () => {
      if (own !== latest || signal?.aborted)
        throw failed('passkey_cancelled', 'Another passkey prompt has begun, or the page was left.');
    };
  }

  /** @param input of the first request. */
  async function create<Result>(path: string, input?: object, name?: string, isAutomatic = false) {
    const check = begin();
    const { startRegistration } = await load(isAutomatic ? 'automatic' : 'available');
    return whileCreating(async () => {
      const { options } = await send<Ceremony>('POST', `${path}/start`, input);
      check();
      const optionsJSON = options as unknown as CreationOptions;
      const response = await ceremony(() => startRegistration({ optionsJSON, useAutoRegister: isAutomatic }));
      return send<Result>('POST', `${path}/finish`, { response, ...(name !== undefined && { name }) });
    });
  }

  async function get(start: string, signal?: AbortSignal) {
    const check = begin(signal);
    const { startAuthentication, WebAuthnAbortService } = await load('available');
    const { options } = await send<Ceremony>('POST', start);
    check();
    const optionsJSON = options as unknown as RequestOptions;
    const response = await abortable(WebAuthnAbortService, signal, () =>
      startAuthentication({ optionsJSON }),
    );
    return { response, rpId: optionsJSON.rpId };
  }

  async function autofill(signal?: AbortSignal) {
    const check = begin(signal);
    const { startAuthentication, WebAuthnAbortService } = await load('autofill');
    for (;;) {
      const { options } = await send<Ceremony>('POST', '/passkeys/authenticate/autofill');
      check();
      const renewal = renewWhenDue(() => WebAuthnAbortService.cancelCeremony());
      try {
        const optionsJSON = options as unknown as RequestOptions;
        const response = await abortable(WebAuthnAbortService, signal, () =>
          // The page may render the field later.
          startAuthentication({ optionsJSON, useBrowserAutofill: true, verifyBrowserAutofillInput: false }),
        );
        return { response, rpId: optionsJSON.rpId };
      } catch (error) {
        if (!renewal.isDue()) throw error;
        check();
      } finally {
        renewal.end();
      }
    }
  }

  return {
    register: ({ name, automatic = false }: PasskeyRegistrationOptions = {}): Promise<WithPasskey> =>
      create('/passkeys/register', automatic ? { automatic } : undefined, name, automatic),
    signup: ({ name, ...input }: PasskeySignUpInput = {}): Promise<SignedIn> =>
      create('/passkeys/signup', input, name),
    secondStep: async ({ trustBrowser }: TrustInput = {}): Promise<WithUser> => {
      const { response } = await get('/mfa/passkey/start');
      return send('POST', '/mfa/passkey/finish', { response, trustBrowser });
    },
    authenticate: async (options: PasskeySignInOptions = {}): Promise<WithUser> => {
      const { signal } = options;
      const { response, rpId } = await (options.autofill
        ? autofill(signal)
        : get('/passkeys/authenticate/start', signal));
      try {
        return await send('POST', '/passkeys/authenticate/finish', { response });
      } catch (error) {
        if (error instanceof AuthClientError && error.reason === 'passkey_unknown')
          await signaler.unknown(rpId, response.id);
        throw error;
      }
    },
  };
}

type AbortService = Browser['WebAuthnAbortService'];

/** Runs a ceremony that a signal ends. */
async function abortable<Credential>(
  service: AbortService,
  signal: AbortSignal | undefined,
  run: () => Promise<Credential>,
): Promise<Credential> {
  const abort = () => service.cancelCeremony();
  signal?.addEventListener('abort', abort);
  try {
    return await ceremony(run);
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

// A challenge is valid for five minutes. A hidden page waits: no one picks a passkey there.
const renewAfterMs = 4 * 60_000;
const checkEveryMs = 10_000;

/** Calls `renew` when the options of a visible page are about to expire. */
function renewWhenDue(renew: () => void) {
  // eslint-disable-next-line no-restricted-properties -- the browser's own clock
  const since = Date.now();
  let isDue = false;
  // Not one long timer: it would not count the time in which the computer sleeps.
  const timer = setInterval(() => {
    const { document } = globalThis as { document?: { visibilityState?: string } };
    // eslint-disable-next-line no-restricted-properties -- the browser's own clock
    if (isDue || Date.now() - since < renewAfterMs || document?.visibilityState === 'hidden') return;
    isDue = true;
    renew();
  }, checkEveryMs);
  return { isDue: () => isDue, end: () => clearInterval(timer) };
}

/**
 * Called before the request for a challenge, so that a browser without support does not create one.
 */
async function load(needed: keyof PasskeySupport): Promise<Browser> {
  if (!(await passkeySupport())[needed]) throw unsupported();
  return import('@simplewebauthn/browser').catch((cause: unknown) => {
    throw failed('passkey_failed', '@simplewebauthn/browser could not be loaded.', cause);
  });
}

function unsupported(): AuthClientError {
  return failed('passkey_unsupported', 'This browser does not support this use of passkeys.');
}

async function ceremony<Credential>(run: () => Promise<Credential>): Promise<Credential> {
  try {
    return await run();
  } catch (cause) {
    // The package keeps the name of the browser's error when it wraps it.
    const name = cause instanceof Error ? cause.name : '';
    if (name === 'NotAllowedError' || name === 'AbortError')
      throw failed('passkey_cancelled', 'The passkey prompt was canceled.', cause);
    if (name === 'InvalidStateError')
      throw failed('passkey_exists', 'This device already has a passkey for this account.', cause);
    throw failed('passkey_failed', 'The passkey could not be used.', cause);
  }
}

function failed(code: AuthClientErrorCode, message: string, cause?: unknown): AuthClientError {
  return new AuthClientError(code, 0, message, undefined, { cause });
}
