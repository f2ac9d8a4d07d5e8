/** The phone numbers with which the user can sign in: added with a code, and removed. */
import { html } from '../../../html/html.js';
import { requiredCode } from '../../code-input.js';
import { phoneCountriesOf } from '../../countries.js';
import { phoneInput, typedPhone } from '../../phone-input.js';
import { inGroups, shownPhone } from '../../shown-phone.js';
import { keepPending, pendingOf } from '../../pending.js';
import { noteSent } from '../../sent.js';
import { changeBody } from '../change.js';
import { codeForm } from '../code-form.js';
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
import type { AccountSecurityView } from '../views.js';

const parentOf = ({ words }: AccountVisit) => ({ label: words.sections.security, path: '/security' });

/** Null if they are not offered. */
export async function phonesOf(visit: ShownVisit): Promise<AccountSecurityView['phones']> {
  const { context, me, offers } = visit;
  if (!offers.phone) return null;
  const { phones } = await offers.phone.list(me.id, context);
  return phones.map(({ id, phone, createdAt }) => ({
    phone,
    shown: shownPhone(phone),
    createdAt,
    removePath: at(visit, pathOf('/security/phones/:id/remove', id)),
  }));
}

const addPage = defineAccountPage({
  section: 'security',
  path: '/security/phones/add',
  access: 'recent',
  isOffered: ({ phone }) => phone !== null,
  show(visit, attempt) {
    const { me, offers, words } = visit;
    const chosen = attempt?.values.get('country') ?? null;
    const body = changeBody(visit, {
      form: {
        action: at(visit, '/security/phones/add'),
        fields: phoneInput(visit, {
          attempt,
          value: pendingOf(visit, me.id, 'phone'),
          ...phoneCountriesOf(visit, offers.phone!.countries(), chosen),
        }),
        submit: words.profile.sendCode,
        cancel: at(visit, '/security'),
      },
    });
    return { title: words.phones.add, parent: parentOf(visit), body };
  },
  forms: {
    '': {
      access: 'recent',
      submit: async (values, visit) => send(visit, typedPhone(values, visit.texts)),
    },
  },
});

/** The number is in the cookie of the browser, so that this page survives a reload. The code is bound to it. */
const codePage = defineAccountPage({
  section: 'security',
  path: '/security/phones/code',
  access: 'recent',
  isOffered: ({ phone }) => phone !== null,
  show(visit, attempt) {
    const { me, words } = visit;
    const phone = pendingOf(visit, me.id, 'phone');
    if (phone === undefined) return done(visit, '/security/phones/add');
    const body = changeBody(visit, {
      lead: words.confirm.codeSent(html`<strong>${shownPhone(phone)}</strong>`),
      ...codeForm(visit, {
        attempt,
        action: at(visit, '/security/phones/code'),
        resend: at(visit, '/security/phones/code/send'),
        sent: ['phone_link', phone],
        submit: words.phones.add,
        cancel: at(visit, '/security/phones/add'),
      }),
    });
    return { title: words.profile.enterCode, parent: parentOf(visit), body };
  },
  forms: {
    '': {
      access: 'recent',
      async submit(values, visit) {
        const { context, me, offers, texts } = visit;
        const phone = pendingOf(visit, me.id, 'phone');
        if (phone === undefined) return done(visit, '/security/phones/add');
        const code = requiredCode(values, texts);
        await offers.phone!.link({ userId: me.id, phone, code }, context);
        keepPending(visit, me.id, 'phone', undefined);
        return done(visit, '/security', 'phoneAdded');
      },
    },
    send: {
      access: 'recent',
      submit: async (_values, visit) => send(visit, pendingOf(visit, visit.me.id, 'phone') ?? ''),
    },
  },
});

async function send(visit: AccountVisit, phone: string) {
  const { context, me, offers } = visit;
  await offers.phone!.sendLinkCode({ userId: me.id, phone }, context);
  keepPending(visit, me.id, 'phone', phone);
  noteSent(visit, 'phone_link', phone);
  return done(visit, '/security/phones/code');
}

const removePage = removal({
  section: 'security',
  path: '/security/phones/:id/remove',
  access: 'recent',
  isOffered: ({ phone }) => phone !== null,
  words: ({ words: { phones } }) => ({
    title: phones.removeTitle,
    lead: phones.removeLead,
    submit: phones.removeTitle,
  }),
  parent: parentOf,
  async find({ context, me, offers, param }) {
    const { phones } = await offers.phone!.list(me.id, context);
    const found = phones.find(({ id }) => id === param('id'));
    return found && inGroups(found.phone);
  },
  async remove(visit) {
    const { context, me, offers, param } = visit;
    await offers.phone!.remove(me.id, param('id'), context);
    return done(visit, '/security', 'phoneRemoved');
  },
});

export const phonePages: readonly AccountPage[] = [addPage, codePage, removePage];
