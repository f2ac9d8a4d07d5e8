/** A change of the address: the new one, then the codes that were mailed to it and to the current one. */
import { html } from '../../../html/html.js';
import { input } from '../../../pages-kit/fields.js';
import { codeInput, typedCode } from '../../code-input.js';
import { attempted } from '../../form.js';
import { keepPending, pendingOf } from '../../pending.js';
import { noteSent } from '../../sent.js';
import { changeBody } from '../change.js';
import { continueVisit } from '../continue-session.js';
import type { Next } from '../../page.js';
import { codeForm } from '../code-form.js';
import {
  at,
  defineAccountPage,
  done,
  type AccountPage,
  type AccountVisit,
  type ShownVisit,
} from '../page.js';
import { FieldError } from '../../../pages-kit/attempt.js';

const parentOf = ({ words }: ShownVisit) => ({ label: words.sections.profile, path: '/profile' });

const changePage = defineAccountPage({
  section: 'profile',
  path: '/profile/email',
  access: 'recent',
  isOffered: ({ addresses }) => addresses !== null,
  show(visit, attempt) {
    const { me, record, words } = visit;
    const { profile } = words;
    const body = changeBody(visit, {
      lead: record.emailVerified ? profile.changeEmailLead : profile.changeEmailLeadNew,
      form: {
        action: at(visit, '/profile/email'),
        fields: input({
          ...attempted(attempt, 'email', pendingOf(visit, me.id, 'email')),
          label: profile.newEmail,
          type: 'email',
          autocomplete: 'email',
        }),
        submit: profile.sendCodes,
        cancel: at(visit, '/profile'),
      },
    });
    return { title: profile.changeEmail, parent: parentOf(visit), body };
  },
  forms: {
    '': {
      access: 'recent',
      async submit(values, visit) {
        const { me, words } = visit;
        const email = (values.get('email') ?? '').trim();
        if (email === '') throw new FieldError('email', words.errors.emailMissing);
        if (email.toLowerCase() === me.email) throw new FieldError('email', words.errors.sameAddress);
        return sendCodes(visit, email);
      },
    },
  },
});

async function sendCodes(visit: AccountVisit, email: string): Promise<Next> {
  const { context, me, offers } = visit;
  await offers.addresses!.requestEmailChange({ userId: me.id, email }, context);
  keepPending(visit, me.id, 'email', email);
  noteSent(visit, 'email_change', email);
  return done(visit, '/profile/email/code');
}

const codePage = defineAccountPage({
  section: 'profile',
  path: '/profile/email/code',
  access: 'recent',
  isOffered: ({ addresses }) => addresses !== null,
  show(visit, attempt) {
    const { me, record, texts, words } = visit;
    const { profile } = words;
    const email = pendingOf(visit, me.id, 'email');
    if (email === undefined) return done(visit, '/profile/email');
    const name = html`<strong><bdi>${email}</bdi></strong>`;
    const current = record.emailVerified ? record.email : null;
    const body = changeBody(visit, {
      lead:
        current === null
          ? profile.codesSent(name)
          : profile.codesSentToBoth(name, html`<strong><bdi>${current}</bdi></strong>`),
      ...codeForm(visit, {
        attempt,
        action: at(visit, '/profile/email/code'),
        resend: at(visit, '/profile/email/code/send'),
        sent: ['email_change', email],
        fields: [
          codeInput({
            name: 'code',
            label: current === null ? texts.code : profile.codeFrom(email),
            error: attempt?.errors.get('code'),
          }),
          current !== null &&
            codeInput({
              name: 'currentCode',
              label: profile.codeFrom(current),
              error: attempt?.errors.get('currentCode'),
            }),
          html`<p class="soft">${profile.otherDevices}</p>`,
        ],
        submit: profile.changeEmail,
        cancel: at(visit, '/profile/email'),
      }),
    });
    return {
      title: current === null ? profile.enterCode : profile.enterCodes,
      parent: parentOf(visit),
      body,
    };
  },
  forms: {
    '': {
      access: 'recent',
      async submit(values, visit) {
        const { context, me, offers, texts } = visit;
        const email = pendingOf(visit, me.id, 'email');
        if (email === undefined) return done(visit, '/profile/email');
        const [code, currentCode] = [typedCode(values, 'code'), typedCode(values, 'currentCode')];
        if (code === '') throw new FieldError('code', texts.errors.codeMissing);
        if (currentCode === '' && me.emailVerified)
          throw new FieldError('currentCode', texts.errors.codeMissing);
        const change = { userId: me.id, email, code };
        const changed = await offers.addresses!.confirmEmailChange(
          { ...change, ...(currentCode !== '' && { currentCode }) },
          context,
        );
        continueVisit(visit, changed);
        keepPending(visit, me.id, 'email', undefined);
        return done(visit, '/profile', 'address');
      },
    },
    send: {
      access: 'recent',
      submit: async (_values, visit) => sendCodes(visit, pendingOf(visit, visit.me.id, 'email') ?? ''),
    },
  },
});

export const emailPages: readonly AccountPage[] = [changePage, codePage];
