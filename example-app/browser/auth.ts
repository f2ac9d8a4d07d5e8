/** The client of the routes, and what the pages make of its errors. */
import {
  startAuthentication,
  startRegistration,
  WebAuthnError,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';

export interface Failure extends Error {
  code?: string;
  retryAfterMs?: number;
}

/** The code of an error; `cancelled` where a person closed the browser's window. */
export function codeOf(error: unknown): string {
  if (error instanceof Error && ['NotAllowedError', 'AbortError'].includes(error.name)) return 'cancelled';
  if (error instanceof WebAuthnError) return 'cancelled';
  return (error as Failure).code ?? 'internal_error';
}

async function call<T>(method: string, route: string, body?: object): Promise<T> {
  const answer = await fetch(`/api/auth${route}`, {
    method,
    headers: body ? { 'content-type': 'application/json' } : {},
    body: body ? JSON.stringify(body) : null,
  });
  const json = (await answer.json()) as T & { error: string; message: string; retryAfterMs?: number };
  if (answer.ok) return json;
  throw Object.assign(new Error(json.message), { code: json.error, retryAfterMs: json.retryAfterMs });
}

interface SignedIn {
  user: { id: string };
}
interface Passkey {
  id: string;
  backedUp: boolean;
  createdAt: string;
  lastUsedAt: string | null;
}

const post = (route: string) => (body?: object) => call<SignedIn>('POST', route, body ?? {});

export const auth = {
  emailCode: { send: post('/email-code/send'), verify: post('/email-code/verify') },
  magicLink: { send: post('/magic-link/send') },
  password: {
    signup: post('/password/signup'),
    login: post('/password/login'),
    requestReset: post('/password/request-reset'),
    reset: post('/password/reset'),
  },
  phone: { send: post('/phone/send'), verify: post('/phone/verify') },
  guest: { create: post('/guest') },
  mfa: { verify: post('/mfa/verify') },
  logout: post('/logout'),
  orgs: { acceptInvite: post('/orgs/invites/accept') },
  passkeys: {
    list: () => call<{ passkeys: Passkey[] }>('GET', '/passkeys'),
    remove: (id: string) => call('DELETE', `/passkeys/${encodeURIComponent(id)}`),
    async register() {
      const { options } = await call<{ options: PublicKeyCredentialCreationOptionsJSON }>(
        'POST',
        '/passkeys/register/start',
        {},
      );
      return call('POST', '/passkeys/register/finish', {
        response: await startRegistration({ optionsJSON: options }),
      });
    },
    async authenticate({ autofill = false } = {}) {
      const { options } = await call<{ options: PublicKeyCredentialRequestOptionsJSON }>(
        'POST',
        '/passkeys/authenticate/start',
        {},
      );
      return call<SignedIn>('POST', '/passkeys/authenticate/finish', {
        response: await startAuthentication({ optionsJSON: options, useBrowserAutofill: autofill }),
      });
    },
  },
};
