/** The client of the routes, and what the pages make of its errors. */
import { createClient } from 'svc-auth/client';

const client = createClient({ baseUrl: '/api/auth' });

// TEMPORARY: what the client does not have yet.
type OrgRole0 = 'member' | 'admin' | 'owner';
interface Ok0 {
  ok: true;
}
interface SignedIn0 {
  user: { id: string; email: string | null };
  created: boolean;
}
interface Key0 {
  id: string;
  name: string;
  prefix: string;
  createdAt: string;
  lastUsedAt: string | null;
  revokedAt: string | null;
}
interface Membership0 {
  orgId: string;
  userId: string;
  role: OrgRole0;
  createdAt: string;
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
const post = <T>(route: string, body: object = {}) => call<T>('POST', route, body);
export const auth = {
  ...client,
  phone: {
    send: (input: { phone: string }) => post<{ expiresAt: string }>('/phone/send', input),
    verify: (input: { phone: string; code: string }) => post<SignedIn0>('/phone/verify', input),
  },
  guest: {
    create: () => post<SignedIn0>('/guest'),
    upgradeSend: (input: { email: string }) => post('/guest/upgrade/send', input),
    upgrade: (input: object) => post<SignedIn0>('/guest/upgrade', input),
  },
  oauth: {
    link: (name: string, input: { state?: string }) => post<{ url: string }>(`/oauth/${name}/link`, input),
    startUrl: (name: string) => `/api/auth/oauth/${name}/start`,
  },
  identities: {
    list: () =>
      call<{ identities: { id: string; provider: string; providerAccountId: string; createdAt: string }[] }>(
        'GET',
        '/identities',
      ),
    unlink: (id: string) => call<Ok0>('DELETE', `/identities/${id}`),
  },
  apiKeys: {
    list: () => call<{ apiKeys: Key0[] }>('GET', '/api-keys'),
    create: (input: { name: string }) => post<{ key: string; record: Key0 }>('/api-keys', input),
    revoke: (id: string) => call<Ok0>('DELETE', `/api-keys/${id}`),
  },
  orgs: {
    list: () => call<{ orgs: { org: Org; membership: Membership0 }[] }>('GET', '/orgs'),
    create: (input: { name: string }) => post('/orgs', input),
    delete: (id: string) => call<Ok0>('DELETE', `/orgs/${id}`),
    members: (id: string) =>
      call<{ members: (Membership0 & { email?: string | null })[] }>('GET', `/orgs/${id}/members`),
    setRole: (id: string, userId: string, input: { role: OrgRole0 }) =>
      call('PUT', `/orgs/${id}/members/${userId}`, input),
    removeMember: (id: string, userId: string) => call<Ok0>('DELETE', `/orgs/${id}/members/${userId}`),
    invite: (id: string, input: { email: string; role?: OrgRole0 }) => post(`/orgs/${id}/invites`, input),
    acceptInvite: (input: { token: string }) => post('/orgs/invites/accept', input),
  },
  account: {
    get: () => call<{ hasPassword: boolean; isGuest: boolean }>('GET', '/account'),
    delete: () => call<Ok0>('DELETE', '/account'),
    export: () => call<object>('GET', '/account/export'),
    changePassword: (input: object) => post('/account/password', input),
    sendVerification: () => post<{ expiresAt: string | null }>('/account/verify-email/send'),
    verifyEmail: (input: { code: string }) => post('/account/verify-email', input),
    requestEmailChange: (input: { email: string }) =>
      post<{ currentCodeSent: boolean }>('/account/email', input),
    confirmEmailChange: (input: object) => post('/account/email/confirm', input),
  },
};
export interface Org {
  id: string;
  name: string;
  slug: string;
}
export type OrgRole = OrgRole0;
// END OF TEMPORARY

export interface Failure extends Error {
  code?: string;
  retryAfterMs?: number;
}

/** The code of an error; of one that is none of the service's, `internal_error`. */
export function codeOf(error: unknown): string {
  return (error as Failure).code ?? 'internal_error';
}
