/** Both ceremonies of passkeys. `@simplewebauthn/browser` is loaded by the first of them, and by nothing else. */
import type { Ceremony, WithPasskey, WithUser } from './answers.js';
import { AuthClientError, type AuthClientErrorCode } from './error.js';
import type { Send } from './transport.js';

type Browser = typeof import('@simplewebauthn/browser');
type CreationOptions = Parameters<Browser['startRegistration']>[0]['optionsJSON'];
type RequestOptions = Parameters<Browser['startAuthentication']>[0]['optionsJSON'];

export interface PasskeySupport {
  /** Whether there are passkeys in this browser at all. */
  available: boolean;
  /** Whether it offers them among the suggestions of a form. */
  autofill: boolean;
}

/** Asks the browser; loads nothing. */
export async function passkeySupport(): Promise<PasskeySupport> {
  const { PublicKeyCredential: api } = globalThis as {
    PublicKeyCredential?: { isConditionalMediationAvailable?: () => Promise<boolean> };
  };
  const autofill = (await api?.isConditionalMediationAvailable?.()) ?? false;
  return { available: typeof api === 'function', autofill };
}

export async function registerPasskey(send: Send): Promise<WithPasskey> {
  const { startRegistration } = await load('available');
  const { options } = await send<Ceremony>('POST', '/passkeys/register/start');
  const response = await ceremony(() =>
    startRegistration({ optionsJSON: options as unknown as CreationOptions }),
  );
  return send('POST', '/passkeys/register/finish', { response });
}

export async function authenticateByPasskey(send: Send, autofill: boolean): Promise<WithUser> {
  const { startAuthentication } = await load(autofill ? 'autofill' : 'available');
  const { options } = await send<Ceremony>('POST', '/passkeys/authenticate/start');
  const response = await ceremony(() =>
    startAuthentication({
      optionsJSON: options as unknown as RequestOptions,
      useBrowserAutofill: autofill,
      // A field that is drawn later counts too: what the form looks like is the page's business.
      verifyBrowserAutofillInput: false,
    }),
  );
  return send('POST', '/passkeys/authenticate/finish', { response });
}

/** Comes before the server is asked: a challenge that nobody can answer is not worth making. */
async function load(needed: keyof PasskeySupport): Promise<Browser> {
  if (!(await passkeySupport())[needed]) throw unsupported();
  return import('@simplewebauthn/browser').catch((cause: unknown) => {
    throw failed('passkey_failed', '@simplewebauthn/browser could not be loaded.', cause);
  });
}

function unsupported(): AuthClientError {
  return failed('passkey_unsupported', 'This browser cannot do that with passkeys.');
}

async function ceremony<Answer>(run: () => Promise<Answer>): Promise<Answer> {
  try {
    return await run();
  } catch (cause) {
    // By its name, which is that of the browser's error also where the package has wrapped it.
    const name = cause instanceof Error ? cause.name : '';
    if (name === 'NotAllowedError' || name === 'AbortError')
      throw failed('passkey_cancelled', 'No passkey was given.', cause);
    if (name === 'InvalidStateError')
      throw failed('passkey_exists', 'This device has a passkey already.', cause);
    throw failed('passkey_failed', 'The passkey could not be used.', cause);
  }
}

function failed(code: AuthClientErrorCode, message: string, cause?: unknown): AuthClientError {
  return new AuthClientError(code, 0, message, undefined, { cause });
}
