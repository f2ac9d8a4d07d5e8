/** The passkeys: the list, a new one, which needs a script, another name, and the end of one. */
import type { PublicCredential } from '../../../domain/credential.js';
import { html, type Html, type Value } from '../../../html/html.js';
import { input } from '../../../pages-kit/fields.js';
import { icons } from '../../icons.js';
import { clientOf } from '../device-names.js';
import { everyRow } from '../list.js';
import { at, done, pathOf, type AccountPage, type AccountVisit, type ShownVisit } from '../page.js';
import { badge, dotted, linkButton, panel, row, when } from '../parts.js';
import { removal } from '../removal.js';
import { renaming } from '../renaming.js';

export async function passkeysPanel(visit: ShownVisit): Promise<Html | null> {
  const { context, me, offers, words } = visit;
  if (!offers.webauthn) return null;
  const { passkeys } = words;
  const { credentials } = await offers.webauthn.listCredentials(me.id, everyRow, context);
  const rows = credentials.map((passkey) => {
    const name = nameOf(visit, passkey);
    return row({
      icon: icons.passkey,
      title: html`<bdi>${name}</bdi> ${badge(passkey.backedUp ? passkeys.synced : passkeys.deviceOnly)}`,
      detail: dotted(words.added(when(visit, passkey.createdAt)), lastUse(visit, passkey)),
      actions: [
        linkButton(visit, {
          path: at(visit, pathOf('/security/passkeys/:id/rename', passkey.id)),
          label: words.rename,
          about: name,
        }),
        linkButton(visit, {
          path: at(visit, pathOf('/security/passkeys/:id/remove', passkey.id)),
          label: words.remove,
          about: name,
        }),
      ],
    });
  });
  return panel({
    id: 'passkeys',
    title: passkeys.title,
    lead: passkeys.lead,
    action: linkButton(visit, { path: at(visit, '/security/passkeys/add'), label: passkeys.add }),
    rows,
  });
}

function lastUse(visit: AccountVisit, { lastUsedAt, lastUsedFrom }: PublicCredential): Value {
  const { words } = visit;
  if (!lastUsedAt) return words.neverUsed;
  const { ip, userAgent = '' } = lastUsedFrom ?? {};
  const client = clientOf(visit, userAgent);
  const time = when(visit, lastUsedAt);
  const used = client ? words.lastUsedWith(time, html`<bdi>${client}</bdi>`) : words.lastUsed(time);
  return dotted(used, ip && html`<bdi>${ip}</bdi>`);
}

/** The usual names of passkeys of an unknown model are words of the page's language. */
function nameOf({ words: { passkeys } }: AccountVisit, { name }: PublicCredential): string {
  if (name === 'Passkey') return passkeys.name;
  return name === 'Security key' ? passkeys.securityKey : name;
}

const addPage: AccountPage = {
  section: 'security',
  path: '/security/passkeys/add',
  access: 'recent',
  isOffered: ({ webauthn }) => webauthn !== null,
  show(visit) {
    const { authPath, base, words } = visit;
    const { passkeys } = words;
    const body = html`<section class="panel">
      <p>${passkeys.addLead}</p>
      <noscript><p class="banner bad">${passkeys.needsScript}</p></noscript>
      <p class="banner bad" role="alert" data-passkey-message hidden></p>
      <div data-passkey-name hidden>
        ${input({ name: 'name', label: words.name, hint: words.nameHint, maxLength: 100 })}
      </div>
      <div class="buttons">
        <button
          class="primary"
          type="button"
          data-passkey-add="${authPath}/passkeys/register"
          data-then="${base}${done(visit, '/security', 'passkeyAdded').to}"
          data-failed="${passkeys.failed}"
          data-unsupported="${passkeys.unsupported}"
          hidden
        >
          ${icons.passkey} ${passkeys.create}
        </button>
        ${linkButton(visit, { path: at(visit, '/security'), label: words.cancel })}
      </div>
    </section>`;
    return { title: passkeys.addTitle, parent: parentOf(visit), body };
  },
};

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
    const { me, offers, param } = visit;
    await offers.webauthn!.renameCredential({ userId: me.id, credentialId: param('id'), name });
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
    await visit.offers.webauthn!.removeCredential(visit.me.id, visit.param('id'));
    return done(visit, '/security', 'passkeyRemoved');
  },
});

export const passkeyPages: readonly AccountPage[] = [addPage, renamePage, removePage];
