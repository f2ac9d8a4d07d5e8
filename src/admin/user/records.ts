/** Everything that the page of one user shows. */
import type { UserRecord } from '../../domain/user-record.js';
import type { AdminAction } from '../../http/admin-permission.js';
import { featuresOf, type Features } from '../features.js';
import type { Call } from '../page.js';

/** How many rows of a list the page shows at once. */
export const rowsPerList = 10;

/** The lists that have pages. The name is that of the query parameter with the cursor. */
export type PagedList = 'sessions' | 'tokens' | 'passkeys' | 'organizations' | 'keys';

/** What the page can offer, in the order in which `authorize` is asked. */
const actions = [
  'users.block',
  'users.unblock',
  'users.signOut',
  'users.update',
  'users.setPassword',
  'users.impersonate',
  'users.remove',
  'users.sessions.list',
  'users.sessions.revoke',
  'users.tokens.list',
  'users.tokens.revoke',
  'users.identities.list',
  'users.identities.remove',
  'users.passkeys.list',
  'users.passkeys.remove',
  'users.totp.disable',
  'users.orgs.list',
  'users.orgs.removeMember',
  'users.apiKeys.list',
  'users.apiKeys.remove',
] as const satisfies readonly AdminAction[];

export type OfferedAction = (typeof actions)[number];

export interface UserRecords {
  user: UserRecord;
  features: Features;
  allowed: ReadonlySet<OfferedAction>;
  /** Null: `authorize` refuses to show it, or it is not configured. */
  sessions: Awaited<ReturnType<typeof readSessions>> | null;
  tokens: Awaited<ReturnType<typeof readTokens>>;
  identities: Awaited<ReturnType<typeof readIdentities>> | null;
  passkeys: Awaited<ReturnType<typeof readPasskeys>>;
  orgs: Awaited<ReturnType<typeof readOrgs>>;
  apiKeys: Awaited<ReturnType<typeof readApiKeys>>;
}

/** Reads the user first, so that an unknown one costs nothing more; then the lists in parallel, a page of each. */
export async function readRecords(call: Call): Promise<UserRecords> {
  const user = await call.service.users.get(call.userId);
  const features = featuresOf(call.service);
  const answers = await Promise.all(actions.map((action) => call.can(action)));
  const allowed = new Set(actions.filter((_, index) => answers[index]));
  const [sessions, tokens, identities, passkeys, orgs, apiKeys] = await Promise.all([
    allowed.has('users.sessions.list') ? readSessions(call) : null,
    allowed.has('users.tokens.list') ? readTokens(call, features) : null,
    allowed.has('users.identities.list') ? readIdentities(call) : null,
    allowed.has('users.passkeys.list') ? readPasskeys(call, features) : null,
    allowed.has('users.orgs.list') ? readOrgs(call, features) : null,
    allowed.has('users.apiKeys.list') ? readApiKeys(call, features) : null,
  ]);
  return { user, features, allowed, sessions, tokens, identities, passkeys, orgs, apiKeys };
}

function pageOf({ query }: Call, list: PagedList) {
  return { cursor: query.get(list), limit: rowsPerList };
}

function readSessions(call: Call) {
  const { service, userId, token: currentToken } = call;
  return service.users.listSessions(userId, { ...pageOf(call, 'sessions'), currentToken });
}

async function readTokens(call: Call, { refresh }: Features) {
  return refresh && (await refresh.list(call.userId, call.token, pageOf(call, 'tokens')));
}

function readIdentities({ service, userId }: Call) {
  return service.users.listIdentities(userId);
}

async function readPasskeys(call: Call, { webauthn }: Features) {
  return webauthn && (await webauthn.listCredentials(call.userId, pageOf(call, 'passkeys')));
}

async function readOrgs(call: Call, { orgs }: Features) {
  return orgs && (await orgs.listForUser(call.userId, pageOf(call, 'organizations')));
}

async function readApiKeys(call: Call, { apiKeys }: Features) {
  return apiKeys && (await apiKeys.list({ userId: call.userId }, undefined, pageOf(call, 'keys')));
}
