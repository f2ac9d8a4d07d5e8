/** The passkeys: the list, a new one, which needs a script, and the end of one. */
import { html, type Html } from '../../../html/html.js';
import { icons } from '../../icons.js';
import { everyRow } from '../list.js';
import { at, done, pathOf, type AccountPage, type ShownVisit } from '../page.js';
import { badge, dotted, linkButton, panel, row, when } from '../parts.js';
import { removal } from '../removal.js';

export async function passkeysPanel(visit: ShownVisit): Promise<Html | null> {
  const { context, me, offers, words } = visit;
  if (!offers.webauthn) return null;
  const { passkeys } = words;
  const { credentials } = await offers.webauthn.listCredentials(me.id, everyRow, context);
  const rows = credentials.map(({ id, backedUp, createdAt, lastUsedAt }) => {
    const added = words.added(when(visit, createdAt));
    return row({
      icon: icons.passkey,
      title: [passkeys.name, ' ', badge(backedUp ? passkeys.synced : passkeys.deviceOnly)],
      detail: dotted(added, lastUsedAt ? words.lastUsed(when(visit, lastUsedAt)) : words.neverUsed),
      actions: linkButton(visit, {
        path: at(visit, pathOf('/security/passkeys/:id/remove', id)),
        label: words.remove,
        about: passkeys.name,
      }),
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
    return {
      title: passkeys.addTitle,
      parent: { label: words.sections.security, path: '/security' },
      body,
    };
  },
};

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
  parent: ({ words }) => ({ label: words.sections.security, path: '/security' }),
  async find({ context, me, offers, param, words }) {
    const { credentials } = await offers.webauthn!.listCredentials(me.id, everyRow, context);
    return credentials.some(({ id }) => id === param('id')) ? words.passkeys.name : undefined;
  },
  async remove(visit) {
    await visit.offers.webauthn!.removeCredential(visit.me.id, visit.param('id'));
    return done(visit, '/security', 'passkeyRemoved');
  },
});

export const passkeyPages: readonly AccountPage[] = [addPage, removePage];
