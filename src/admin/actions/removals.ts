/** The confirmations that end one thing of a user: a session, a linked account, a passkey, a membership, an API key. */
import type { UserRecord } from '../../domain/user-record.js';
import { phoneProvider } from '../../domain/identity.js';
import { html, type Html } from '../../html/html.js';
import type { AdminAction } from '../../http/admin-permission.js';
import { deviceName } from '../device-name.js';
import { fact } from '../user/card.js';
import { withFlash, type Flash } from '../flash.js';
import { formPage } from '../form-page.js';
import type { Call, Page } from '../page.js';
import { nameOf, pathOf, trailTo } from '../person.js';
import type { AdminTexts } from '../texts/texts.js';

interface Removal {
  /** Below the path of the user. */
  path: string;
  action: AdminAction;
  /** What is removed, and what that does. */
  words: keyof Omit<AdminTexts['actions']['removals'], 'gone' | 'user'>;
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

function removal({ path, action, words, flash, section, find, remove }: Removal): Page {
  return formPage<Subject>({
    path: `/users/:id/${path}`,
    action,
    async read(call) {
      const [user, name] = await Promise.all([call.service.users.get(call.userId), find(call)]);
      return { user, name };
    },
    view({ user, name }, call) {
      const { title, effect } = call.texts.actions.removals[words];
      return {
        title,
        trail: trailTo(call, user),
        lead: effect,
        fields: [subjectOf(call, user, words, name)],
        submit: title,
        isDestructive: true,
        back: `${pathOf(user.id)}#${section}`,
      };
    },
    async submit(_form, call) {
      await remove(call);
      return withFlash(pathOf(call.userId), flash);
    },
  });
}

function subjectOf(
  { texts }: Call,
  user: UserRecord,
  words: Removal['words'],
  name: string | undefined,
): Html {
  const { removals: own } = texts.actions;
  if (name === undefined) return html`<p class="callout">${own.gone}</p>`;
  return html`<dl class="facts about">
    ${fact(own[words].term, html`<bdi class="strong">${name}</bdi>`)}
    ${fact(own.user, html`<bdi>${nameOf(texts, user)}</bdi>`)}
  </dl>`;
}

export const removals: readonly Page[] = [
  removal({
    path: 'sessions/:item/end',
    action: 'users.sessions.revoke',
    words: 'session',
    flash: 'session_ended',
    section: 'sessions',
    async find({ service, texts, userId, param }) {
      const { sessions } = await service.users.listSessions(userId, page);
      const session = sessions.find(({ id }) => id === param('item'));
      return session && deviceName(texts, session.device);
    },
    remove: ({ service, userId, param, by }) => service.users.revokeSession(userId, param('item'), by),
  }),
  removal({
    path: 'tokens/:item/revoke',
    action: 'users.tokens.revoke',
    words: 'token',
    flash: 'token_revoked',
    section: 'tokens',
    async find({ service, texts, userId, param }) {
      const { families } = await service.refresh.list(userId, undefined, page);
      const family = families.find(({ id }) => id === param('item'));
      return family && deviceName(texts, family.device);
    },
    remove: ({ service, userId, param, by }) =>
      service.refresh.revokeFamily(param('item'), { userId, ...by }),
  }),
  removal({
    path: 'identities/:item/unlink',
    action: 'users.identities.remove',
    words: 'account',
    flash: 'unlinked',
    section: 'methods',
    async find({ service, texts, userId, param }) {
      const identities = await service.users.listIdentities(userId);
      const identity = identities.find(({ id }) => id === param('item'));
      if (!identity) return undefined;
      const { provider, providerAccountId } = identity;
      return `${provider === phoneProvider ? texts.user.methods.phone : provider} ${providerAccountId}`;
    },
    remove: ({ service, userId, param, by }) => service.users.unlinkIdentity(userId, param('item'), by),
  }),
  removal({
    path: 'passkeys/:item/remove',
    action: 'users.passkeys.remove',
    words: 'passkey',
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
    words: 'app',
    flash: 'removed_app',
    section: 'methods',
    find: async ({ service, texts, userId }) =>
      (await service.totp.isEnabled(userId)) ? texts.user.methods.app : undefined,
    remove: ({ service, userId, by }) => service.totp.disable(userId, by),
  }),
  removal({
    path: 'organizations/:item/remove',
    action: 'users.orgs.removeMember',
    words: 'organization',
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
    words: 'key',
    flash: 'key_revoked',
    section: 'keys',
    async find({ service, userId, param }) {
      const { apiKeys } = await service.apiKeys.list({ userId }, undefined, page);
      return apiKeys.find(({ id, revokedAt }) => id === param('item') && revokedAt === null)?.name;
    },
    remove: ({ service, userId, param, by }) => service.apiKeys.revoke(param('item'), { userId, ...by }),
  }),
];
