/**
 * The passkey ceremonies. Nothing else loads `@simplewebauthn/browser`, and only when a ceremony
 * starts.
 */
import type { Ceremony, WithPasskey, WithUser } from './responses.js';
import { AuthClientError, type AuthClientErrorCode } from './error.js';
import type { Send } from './transport.js';

type Browser = typeof import('@simplewebauthn/browser');
type CreationOptions = Parameters<Browser['startRegistration']>[0]['optionsJSON'];
type RequestOptions = Parameters<Browser['startAuthentication']>[0]['optionsJSON'];

export interface PasskeySupport {
  /** Whether the browser supports passkeys. */
  available: boolean;
  /** Whether the browser offers passkeys among the suggestions of a form. */
  autofill: boolean;
}

/** Returns what the browser supports. Loads no package. */
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

export async function authenticateByPasskey(
  send: Send,
  { autofill = false, remember }: { autofill?: boolean; remember?: boolean },
): Promise<WithUser> {
  const { startAuthentication } = await load(autofill ? 'autofill' : 'available');
  const { options } = await send<Ceremony>('POST', '/passkeys/authenticate/start');
  const response = await ceremony(() =>
    startAuthentication({
      optionsJSON: options as unknown as RequestOptions,
      useBrowserAutofill: autofill,
      // The page may render the field later.
      verifyBrowserAutofillInput: false,
    }),
  );
  return send('POST', '/passkeys/authenticate/finish', {
    response,
    ...(remember !== undefined && { remember }),
  });
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
