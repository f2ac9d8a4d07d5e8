/** The confirmations that end one thing of a user: a session, a linked account, a passkey, a membership, an API key. */
import type { UserRecord } from '../../domain/user-record.js';
import { phoneProvider } from '../../domain/identity.js';
import { html, type Html } from '../../html/html.js';
import type { AdminAction } from '../../http/admin-permission.js';
import { deviceName } from '../../domain/device-name.js';
import { fact } from '../user/card.js';
import { withFlash, type Flash } from '../flash.js';
import { formPage } from '../form-page.js';
import type { Call, Page } from '../page.js';
import { nameOf, pathOf, trailTo } from '../person.js';

interface Removal {
  /** Below the path of the user. */
  path: string;
  action: AdminAction;
  title: string;
  /** What the thing is. */
  term: string;
  /** The label of the button. */
  verb: string;
  effect: string;
  flash: Flash;
  /** The section of the page of the user to return to. */
  section: string;
  /** Returns the name of the thing, or undefined if it has ended already. */
  find: (call: Call) => Promise<string | undefined>;
  remove: (call: Call) => Promise<unknown>;
}

interface Subject {
  user: UserRecord;
  name: string | undefined;
}

/** The most rows that a list returns. A thing that is not among them can be ended too, without its name. */
const page = { limit: 200 };

function removal({ path, action, title, term, verb, effect, flash, section, find, remove }: Removal): Page {
  return formPage<Subject>({
    path: `/users/:id/${path}`,
    action,
    async read(call) {
      const [user, name] = await Promise.all([call.service.users.get(call.userId), find(call)]);
      return { user, name };
    },
    view: ({ user, name }) => ({
      title,
      trail: trailTo(user),
      lead: effect,
      fields: [subjectOf(user, term, name)],
      submit: verb,
      isDestructive: true,
      back: `${pathOf(user.id)}#${section}`,
    }),
    async submit(_form, call) {
      await remove(call);
      return withFlash(pathOf(call.userId), flash);
    },
  });
}

function subjectOf(user: UserRecord, term: string, name: string | undefined): Html {
  if (name === undefined)
    return html`<p class="callout">
      This no longer exists: it has ended already, or belongs to another user.
    </p>`;
  return html`<dl class="facts about">
    ${fact(term, html`<bdi class="strong">${name}</bdi>`)} ${fact('User', html`<bdi>${nameOf(user)}</bdi>`)}
  </dl>`;
}

export const removals: readonly Page[] = [
  removal({
    path: 'sessions/:item/end',
    action: 'users.sessions.revoke',
    title: 'Sign out device',
    term: 'Session',
    verb: 'Sign out device',
    effect: 'The device is signed out at its next request.',
    flash: 'session_ended',
    section: 'sessions',
    async find({ service, userId, param }) {
      const { sessions } = await service.users.listSessions(userId, page);
      const session = sessions.find(({ id }) => id === param('item'));
      return session && deviceName(session.device);
    },
    remove: ({ service, userId, param, by }) => service.users.revokeSession(userId, param('item'), by),
  }),
  removal({
    path: 'tokens/:item/revoke',
    action: 'users.tokens.revoke',
    title: 'Revoke app token',
    term: 'App',
    verb: 'Revoke app token',
    effect: 'The app is signed out at its next request.',
    flash: 'token_revoked',
    section: 'tokens',
    async find({ service, userId, param }) {
      const { families } = await service.refresh.list(userId, undefined, page);
      const family = families.find(({ id }) => id === param('item'));
      return family && deviceName(family.device);
    },
    remove: ({ service, userId, param, by }) =>
      service.refresh.revokeFamily(param('item'), { userId, ...by }),
  }),
  removal({
    path: 'identities/:item/unlink',
    action: 'users.identities.remove',
    title: 'Unlink account',
    term: 'Account',
    verb: 'Unlink account',
    effect: 'The user can no longer sign in with it.',
    flash: 'unlinked',
    section: 'methods',
    async find({ service, userId, param }) {
      const identities = await service.users.listIdentities(userId);
      const identity = identities.find(({ id }) => id === param('item'));
      if (!identity) return undefined;
      const { provider, providerAccountId } = identity;
      return `${provider === phoneProvider ? 'Phone number' : provider} ${providerAccountId}`;
    },
    remove: ({ service, userId, param, by }) => service.users.unlinkIdentity(userId, param('item'), by),
  }),
  removal({
    path: 'passkeys/:item/remove',
    action: 'users.passkeys.remove',
    title: 'Remove passkey',
    term: 'Passkey',
    verb: 'Remove passkey',
    effect: 'The user can no longer sign in with it.',
    flash: 'removed_passkey',
    section: 'passkeys',
    async find({ service, userId, param }) {
      const { credentials } = await service.webauthn.listCredentials(userId, page);
      const credential = credentials.find(({ id }) => id === param('item'));
      return credential?.id.slice(0, 8);
    },
    remove: ({ service, userId, param, by }) => service.webauthn.removeCredential(userId, param('item'), by),
  }),
  removal({
    path: 'authenticator/remove',
    action: 'users.totp.disable',
    title: 'Remove authenticator app',
    term: 'Second factor',
    verb: 'Remove authenticator app',
    effect:
      'The user signs in without a second factor and is signed out everywhere. Recovery codes are removed too.',
    flash: 'removed_app',
    section: 'methods',
    find: async ({ service, userId }) =>
      (await service.totp.isEnabled(userId)) ? 'Authenticator app' : undefined,
    remove: ({ service, userId, by }) => service.totp.disable(userId, by),
  }),
  removal({
    path: 'organizations/:item/remove',
    action: 'users.orgs.removeMember',
    title: 'Remove from organization',
    term: 'Organization',
    verb: 'Remove from organization',
    effect: 'The user loses access to the organization. The user can be invited again.',
    flash: 'removed_from_org',
    section: 'organizations',
    async find({ service, userId, param }) {
      const { memberships } = await service.orgs.listForUser(userId, page);
      return memberships.find(({ orgId }) => orgId === param('item'))?.org.name;
    },
    remove: ({ service, userId, param, by }) => service.orgs.removeMember(param('item'), userId, by),
  }),
  removal({
    path: 'keys/:item/revoke',
    action: 'users.apiKeys.remove',
    title: 'Revoke API key',
    term: 'API key',
    verb: 'Revoke API key',
    effect: 'Programs that use this key are refused at once. This cannot be undone.',
    flash: 'key_revoked',
    section: 'keys',
    async find({ service, userId, param }) {
      const { apiKeys } = await service.apiKeys.list({ userId }, undefined, page);
      return apiKeys.find(({ id, revokedAt }) => id === param('item') && revokedAt === null)?.name;
    },
    remove: ({ service, userId, param, by }) => service.apiKeys.revoke(param('item'), { userId, ...by }),
  }),
];
