/** Keys and tokens: the API keys of the user, and the apps that are signed in. */
import { deviceName, iconOfClient } from '../device-names.js';
import { everyRow, listPages, pageOf } from '../list.js';
import { at, defineAccountPage, done, pathOf, type AccountPage, type ShownVisit } from '../page.js';
import { removal } from '../removal.js';
import { sectionIsOffered } from '../sections.js';
import type { AccountTokensView } from '../views.js';
import { keyViews } from './key-views.js';
import { newKeyPage } from './new-key.js';

const parent = ({ words }: Pick<ShownVisit, 'words'>) => ({ label: words.sections.tokens, path: '/tokens' });

const tokensPage = defineAccountPage({
  section: 'tokens',
  path: '/tokens',
  access: 'session',
  isOffered: (offers) => sectionIsOffered('tokens', offers),
  async show(visit) {
    const [keys, apps] = await Promise.all([keysOf(visit), appsOf(visit)]);
    const body = visit.templates.accountTokens(visit, { keys, apps });
    return { title: visit.words.sections.tokens, body };
  },
});

async function keysOf(visit: ShownVisit): Promise<AccountTokensView['keys']> {
  const { actor, context, me, offers } = visit;
  if (!offers.apiKeys) return null;
  const owner = { userId: me.id };
  const { apiKeys, nextCursor } = await offers.apiKeys.list(owner, actor, pageOf(visit, 'keys'), context);
  return {
    list: keyViews(visit, apiKeys, (id) => at(visit, pathOf('/tokens/keys/:id/revoke', id))),
    pages: listPages(visit, 'keys', nextCursor),
  };
}

async function appsOf(visit: ShownVisit): Promise<AccountTokensView['apps']> {
  const { context, me, offers, token } = visit;
  if (!offers.apps) return null;
  const { families, nextCursor } = await offers.apps.list(me.id, token, pageOf(visit, 'apps'), context);
  const list = families.map(({ id, device, createdAt, lastUsedAt }) => ({
    name: deviceName(visit, device),
    icon: iconOfClient(device.userAgent ?? ''),
    createdAt,
    lastUsedAt,
    signOutPath: at(visit, pathOf('/tokens/apps/:id/sign-out', id)),
  }));
  return { list, pages: listPages(visit, 'apps', nextCursor) };
}

const createPage = newKeyPage({
  section: 'tokens',
  path: '/tokens/new',
  isOffered: ({ apiKeys }) => apiKeys !== null,
  ownerOf: ({ me }) => ({ userId: me.id }),
  parent,
});

const revokeKeyPage = removal({
  section: 'tokens',
  path: '/tokens/keys/:id/revoke',
  access: 'recent',
  isOffered: ({ apiKeys }) => apiKeys !== null,
  words: ({ words: { tokens } }) => ({
    title: tokens.revokeTitle,
    lead: tokens.revokeLead,
    submit: tokens.revokeSubmit,
  }),
  parent,
  async find({ actor, context, me, offers, param }) {
    const { apiKeys } = await offers.apiKeys!.list({ userId: me.id }, actor, everyRow, context);
    return apiKeys.find(({ id, revokedAt }) => id === param('id') && revokedAt === null)?.name;
  },
  async remove(visit) {
    await visit.offers.apiKeys!.revoke(visit.param('id'), visit.actor);
    return done(visit, '/tokens', 'keyRevoked');
  },
});

const revokeAppPage = removal({
  section: 'tokens',
  path: '/tokens/apps/:id/sign-out',
  access: 'session',
  isOffered: ({ apps }) => apps !== null,
  words: ({ words: { tokens } }) => ({
    title: tokens.revokeAppTitle,
    lead: tokens.revokeAppLead,
    submit: tokens.revokeApp,
  }),
  parent,
  async find(visit) {
    const { context, me, offers, param, token } = visit;
    const { families } = await offers.apps!.list(me.id, token, everyRow, context);
    const family = families.find(({ id }) => id === param('id'));
    return family && deviceName(visit, family.device);
  },
  async remove(visit) {
    await visit.offers.apps!.revokeFamily(visit.param('id'), visit.actor);
    return done(visit, '/tokens', 'appRevoked');
  },
});

export const tokenPages: readonly AccountPage[] = [tokensPage, createPage, revokeKeyPage, revokeAppPage];
