/** The passkeys: the list, a new one, which needs a script, another name, and the end of one. */
import type { PublicCredential } from '../../../domain/credential.js';
import { clientOf } from '../device-names.js';
import { everyRow } from '../list.js';
import {
  at,
  defineAccountPage,
  done,
  pathOf,
  type AccountPage,
  type AccountVisit,
  type ShownVisit,
} from '../page.js';
import { removal } from '../removal.js';
import { renaming } from '../renaming.js';
import type { AccountSecurityView } from '../views.js';

/** Null if they are not offered. */
export async function passkeysOf(visit: ShownVisit): Promise<AccountSecurityView['passkeys']> {
  const { context, me, offers } = visit;
  if (!offers.webauthn) return null;
  const { credentials } = await offers.webauthn.listCredentials(me.id, everyRow, context);
  return credentials.map((passkey) => ({
    client: clientOf(visit, passkey.lastUsedFrom?.userAgent ?? '') ?? null,
    ip: passkey.lastUsedFrom?.ip ?? null,
    name: nameOf(visit, passkey),
    isSynced: passkey.backedUp,
    isOneDevice: !passkey.backupEligible,
    createdAt: passkey.createdAt,
    lastUsedAt: passkey.lastUsedAt,
    renamePath: at(visit, pathOf('/security/passkeys/:id/rename', passkey.id)),
    removePath: at(visit, pathOf('/security/passkeys/:id/remove', passkey.id)),
  }));
}

/** The usual names of passkeys of an unknown model are words of the page's language. */
function nameOf({ words: { passkeys } }: AccountVisit, { name }: PublicCredential): string {
  if (name === 'Passkey') return passkeys.name;
  return name === 'Security key' ? passkeys.securityKey : name;
}

export const addPage = defineAccountPage({
  section: 'security',
  path: '/security/passkeys/add',
  access: 'recent',
  isOffered: ({ webauthn }) => webauthn !== null,
  show: (visit) => ({
    title: visit.words.passkeys.addTitle,
    parent: parentOf(visit),
    body: visit.templates.accountPasskey(visit),
  }),
});

const parentOf = ({ words }: AccountVisit) => ({ label: words.sections.security, path: '/security' });

async function find(visit: AccountVisit): Promise<string | undefined> {
  const { context, me, offers, param } = visit;
  const { credentials } = await offers.webauthn!.listCredentials(me.id, everyRow, context);
  const passkey = credentials.find(({ id }) => id === param('id'));
  return passkey && nameOf(visit, passkey);
}

const renamePage = renaming({
  section: 'security',
  path: '/security/passkeys/:id/rename',
  isOffered: ({ webauthn }) => webauthn !== null,
  title: ({ words }) => words.passkeys.renameTitle,
  parent: parentOf,
  find,
  async rename(visit, name) {
    const { context, me, offers, param } = visit;
    const input = { userId: me.id, credentialId: param('id'), name };
    await offers.webauthn!.renameCredential(input, context);
    return done(visit, '/security', 'renamed');
  },
});

const removePage = removal({
  section: 'security',
  path: '/security/passkeys/:id/remove',
  access: 'recent',
  isOffered: ({ webauthn }) => webauthn !== null,
  words: ({ words: { passkeys } }) => ({
    title: passkeys.removeTitle,
    lead: passkeys.removeLead,
    submit: passkeys.removeTitle,
  }),
  parent: parentOf,
  find,
  async remove(visit) {
    await visit.offers.webauthn!.removeCredential(visit.me.id, visit.param('id'), visit.context);
    return done(visit, '/security', 'passkeyRemoved');
  },
});

export const passkeyPages: readonly AccountPage[] = [addPage, renamePage, removePage];
