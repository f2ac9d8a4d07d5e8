/** The export of the account, and its deletion. */
import { html, type Html } from '../../html/html.js';
import { internals } from '../../core/internals.js';
import { deletedPasskeys } from '../../http/deleted-passkeys.js';
import { clearSessionCookie } from '../../http/session-cookie.js';
import { clearPendingSignIn } from '../../http/signed-in.js';
import { input } from '../../pages-kit/fields.js';
import { clearFlow } from '../flow.js';
import { attempted } from '../form.js';
import { changeBody } from './change.js';
import { everyRow } from './list.js';
import {
  at,
  defineAccountPage,
  nameOf,
  type AccountPage,
  type AccountVisit,
  type ShownVisit,
} from './page.js';
import { FieldError } from '../../pages-kit/attempt.js';

const dataPage = defineAccountPage({
  section: 'data',
  path: '/data',
  access: 'session',
  forGuests: true,
  isOffered: ({ account }) => account !== null,
  show: (visit) => ({ title: visit.words.data.title, body: visit.templates.accountData(visit) }),
  forms: {
    download: {
      access: 'recent',
      async submit(_values, { context, me, offers, words }) {
        const exported = await offers.account!.exportData(me.id, context);
        return {
          fileName: words.data.fileName,
          type: 'application/json; charset=utf-8',
          content: `${JSON.stringify(exported, null, 2)}\n`,
        };
      },
    },
  },
});

const deletePage = defineAccountPage({
  section: 'data',
  path: '/data/delete',
  access: 'recent',
  // As the JSON route: a guest cannot sign in again.
  isExemptFromReauth: async (me, { account }) => (await account!.summary(me.id)).isGuest,
  forGuests: true,
  isOffered: ({ account }) => account !== null,
  async show(visit, attempt) {
    const { words } = visit;
    const { data } = words;
    const phrase = attempt?.values.get('phrase') ?? phraseOf(visit);
    const body = changeBody(visit, {
      lead: data.deleteLead,
      details: await lossesOf(visit),
      form: {
        action: at(visit, '/data/delete'),
        fields: [
          html`<input type="hidden" name="phrase" value="${phrase}" />`,
          input({ ...attempted(attempt, 'confirmation'), label: data.deleteConfirm(phrase) }),
        ],
        submit: data.deleteSubmit,
        kind: 'danger',
        cancel: at(visit, '/data'),
      },
    });
    return { title: data.deleteTitle, parent: { label: data.title, path: '/data' }, body };
  },
  forms: {
    '': {
      access: 'recent',
      async submit(values, visit) {
        const { context, me, offers, req, res, service, words } = visit;
        const phrase = values.get('phrase') ?? '';
        const confirmation = (values.get('confirmation') ?? '').trim();
        if (phrase === '' || confirmation.toLowerCase() !== phrase.toLowerCase())
          throw new FieldError('confirmation', words.errors.phrase);
        await offers.account!.deleteUser(me.id, context);
        clearSessionCookie(service[internals], req, res);
        clearPendingSignIn(service, req, res);
        clearFlow(service, req, res);
        const body = html`${visit.templates.accountDeleted(visit)}${deletedMark(visit)}`;
        return { title: words.data.deleted, body, frame: 'card' };
      },
    },
  },
});

/** From which the script removes the passkeys of the account from the browser. Only in the response to the deletion: no address shows it. */
function deletedMark({ me, service }: AccountVisit): Html | false {
  const { passkeys } = deletedPasskeys(service, me.id);
  return (
    passkeys !== undefined && html`<span hidden data-passkeys-deleted="${JSON.stringify(passkeys)}"></span>`
  );
}

/** What the user loses, and what stands in the way. The storage decides again. */
async function lossesOf(visit: ShownVisit): Promise<Html> {
  const { base, context, me, offers, record, words } = visit;
  const { data } = words;
  const orgs = record.isGuest ? null : offers.orgs;
  const list = orgs && (await orgs.listForUser(me.id, everyRow, context));
  const memberships = list?.memberships ?? [];
  const onlyOwned = new Set(orgs && (await orgs.listOnlyOwned(me.id)));
  const linksTo = (some: typeof memberships) =>
    html`${some.map(
      ({ org }, index) =>
        html`${index > 0 && ', '}<a href="${base}${at(visit, `/organizations/${org.id}`)}"
            ><bdi>${org.name}</bdi></a
          >`,
    )}`;
  const blocking = memberships.filter(({ orgId }) => onlyOwned.has(orgId));
  return html`<div>
      <p>${data.lost}</p>
      <ul class="losses">
        <li>${data.lostAccess}</li>
        ${offers.apiKeys && !record.isGuest && html`<li>${data.lostKeys}</li>`}
        ${memberships.length > 0 && html`<li>${data.lostOrganizations(linksTo(memberships))}</li>`}
      </ul>
      <p><a href="${base}${at(visit, '/data')}">${data.exportFirst}</a></p>
    </div>
    ${blocking.length > 0 && html`<p class="banner note">${data.onlyOwner(linksTo(blocking))}</p>`}`;
}

/** What must be typed in: it keeps a click from deleting the account, and needs no check by the server. */
function phraseOf({ record, words }: ShownVisit): string {
  return nameOf(record) ?? words.data.deleteGuest;
}

export const dataPages: readonly AccountPage[] = [dataPage, deletePage];
