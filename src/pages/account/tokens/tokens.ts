/** Keys and tokens: the API keys of the user, and the apps that are signed in. */
import { html } from '../../../html/html.js';
import { deviceName, iconOfClient } from '../device-names.js';
import { pageLinks, pageOf, everyRow } from '../list.js';
import { done, at, pathOf, type AccountPage, type ShownVisit } from '../page.js';
import { dotted, linkButton, panel, row, when } from '../parts.js';
import { removal } from '../removal.js';
import { sectionIsOffered } from '../sections.js';
import { keyRows } from './key-rows.js';
import { newKeyPage } from './new-key.js';

const parent = ({ words }: Pick<ShownVisit, 'words'>) => ({ label: words.sections.tokens, path: '/tokens' });

const tokensPage: AccountPage = {
  section: 'tokens',
  path: '/tokens',
  access: 'session',
  isOffered: (offers) => sectionIsOffered('tokens', offers),
  async show(visit) {
    const panels = await Promise.all([keysPanel(visit), appsPanel(visit)]);
    return { title: visit.words.sections.tokens, body: html`${panels}` };
  },
};

async function keysPanel(visit: ShownVisit) {
  const { actor, context, me, offers, words } = visit;
  if (!offers.apiKeys) return null;
  const { apiKeys, nextCursor } = await offers.apiKeys.list(
    { userId: me.id },
    actor,
    pageOf(visit, 'keys'),
    context,
  );
  return panel({
    id: 'keys',
    title: words.tokens.keys,
    lead: words.tokens.keysLead,
    action: linkButton(visit, { path: at(visit, '/tokens/new'), label: words.tokens.create }),
    rows: keyRows(visit, apiKeys, (id) => at(visit, pathOf('/tokens/keys/:id/revoke', id))),
    empty: words.tokens.noKeys,
    body: pageLinks(visit, 'keys', nextCursor),
  });
}

async function appsPanel(visit: ShownVisit) {
  const { context, me, offers, token, words } = visit;
  if (!offers.apps) return null;
  const { families, nextCursor } = await offers.apps.list(me.id, token, pageOf(visit, 'apps'), context);
  const rows = families.map(({ id, device, createdAt, lastUsedAt }) => {
    const name = deviceName(visit, device);
    return row({
      icon: iconOfClient(device.userAgent ?? ''),
      title: html`<bdi>${name}</bdi>`,
      detail: dotted(
        words.devices.signedIn(when(visit, createdAt)),
        lastUsedAt ? words.lastUsed(when(visit, lastUsedAt)) : words.neverUsed,
      ),
      actions: linkButton(visit, {
        path: at(visit, pathOf('/tokens/apps/:id/sign-out', id)),
        label: words.tokens.revokeApp,
        about: name,
      }),
    });
  });
  return panel({
    id: 'apps',
    title: words.tokens.apps,
    lead: words.tokens.appsLead,
    rows,
    empty: words.tokens.noApps,
    body: pageLinks(visit, 'apps', nextCursor),
  });
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
