/** A guest creates an account: with a code that is mailed to the address, or else with an address and a password. */
import { html, type Value } from '../../../html/html.js';
import { FieldError, type Attempt } from '../../../pages-kit/attempt.js';
import { input } from '../../../pages-kit/fields.js';
import { requiredCode } from '../../code-input.js';
import { attempted } from '../../form.js';
import { keepPending, pendingOf } from '../../pending.js';
import { noteSent } from '../../sent.js';
import { newPasswordInput } from '../../new-password.js';
import type { Next } from '../../page.js';
import { signUpFields } from '../../sign-up-inputs.js';
import { fieldsIn, fieldViews, refuseEmptyFields, withFieldErrors } from '../../sign-up/fields.js';
import { changeBody } from '../change.js';
import { continueVisit } from '../continue-session.js';
import { codeForm } from '../code-form.js';
import type { Offers } from '../offers.js';
import {
  at,
  defineAccountPage,
  done,
  type AccountPage,
  type AccountVisit,
  type ShownVisit,
} from '../page.js';

const parentOf = ({ words }: AccountVisit) => ({ label: words.sections.profile, path: '/profile' });

/** Returns whether guests can create an account on these pages. */
export function canUpgrade({ guestCode, guestPassword }: Offers): boolean {
  return (guestCode ?? guestPassword) !== null;
}

const startPage = defineAccountPage({
  section: 'profile',
  path: '/profile/upgrade',
  access: 'no-impersonation',
  forGuests: true,
  isOffered: canUpgrade,
  show(visit, attempt) {
    const { offers, record, texts, words } = visit;
    if (!record.isGuest) return done(visit, '/profile');
    const emailField = input({
      ...attempted(attempt, 'email', pendingOf(visit, visit.me.id, 'email')),
      label: texts.email,
      type: 'email',
      autocomplete: 'username',
    });
    const passwordField = newPasswordInput(visit, {
      label: texts.password,
      error: attempt?.errors.get('password'),
      minPasswordLength: visit.features.minPasswordLength,
      estimatorPath: visit.estimatorPath,
    });
    const body = changeBody(visit, {
      lead: words.profile.guestLead,
      form: {
        action: at(visit, '/profile/upgrade'),
        fields: offers.guestCode ? emailField : [emailField, passwordField, ownFields(visit, attempt)],
        submit: offers.guestCode ? words.profile.sendCode : texts.signUp.submit,
        cancel: at(visit, '/profile'),
      },
    });
    return { title: texts.signUp.title, parent: parentOf(visit), body };
  },
  forms: {
    '': {
      access: 'no-impersonation',
      async submit(values, visit) {
        const { context, me, offers, texts, words } = visit;
        const email = (values.get('email') ?? '').trim();
        if (email === '') throw new FieldError('email', texts.errors.emailMissing);
        if (offers.guestCode) return sendCode(visit, email);
        const password = values.get('password') ?? '';
        if (password === '') throw new FieldError('password', words.errors.passwordMissing);
        refuseEmptyFields(values, visit);
        const account = { userId: me.id, email, password, fields: fieldsIn(values, visit) };
        const upgrade = () => offers.guestPassword!.upgradeGuest(account, context);
        continueVisit(visit, await withFieldErrors(values, visit, upgrade));
        return done(visit, '/profile', 'accountCreated');
      },
    },
  },
});

async function sendCode(visit: AccountVisit, email: string): Promise<Next> {
  const { context, me, offers } = visit;
  const { codeFormat } = await offers.guestCode!.sendUpgradeCode({ userId: me.id, email }, context);
  visit.keep({ codeFormat });
  keepPending(visit, me.id, 'email', email);
  noteSent(visit, 'guest_upgrade', email);
  return done(visit, '/profile/upgrade/code');
}

const codePage = defineAccountPage({
  section: 'profile',
  path: '/profile/upgrade/code',
  access: 'no-impersonation',
  forGuests: true,
  isOffered: ({ guestCode }) => guestCode !== null,
  show(visit, attempt) {
    const { texts, words } = visit;
    const email = emailOf(visit);
    if (email === null) return done(visit, '/profile');
    const body = changeBody(visit, {
      lead: words.profile.codesSent(html`<strong><bdi>${email}</bdi></strong>`),
      ...codeForm(visit, {
        attempt,
        hasLetters: visit.flow.codeFormat === 'letters',
        more: ownFields(visit, attempt),
        action: at(visit, '/profile/upgrade/code'),
        resend: at(visit, '/profile/upgrade/code/send'),
        sent: ['guest_upgrade', email],
        submit: texts.signUp.submit,
        cancel: at(visit, '/profile/upgrade'),
      }),
    });
    return { title: words.profile.enterCode, parent: parentOf(visit), body };
  },
  forms: {
    '': {
      access: 'no-impersonation',
      async submit(values, visit) {
        const { context, me, offers, texts } = visit;
        const code = requiredCode(values, texts);
        refuseEmptyFields(values, visit);
        const email = pendingOf(visit, me.id, 'email') ?? '';
        const account = { userId: me.id, email, code, fields: fieldsIn(values, visit) };
        const upgrade = () => offers.guestCode!.upgradeGuest(account, context);
        continueVisit(visit, await withFieldErrors(values, visit, upgrade));
        keepPending(visit, me.id, 'email', undefined);
        return done(visit, '/profile', 'accountCreated');
      },
    },
    send: {
      access: 'no-impersonation',
      submit: async (_values, visit) => sendCode(visit, pendingOf(visit, visit.me.id, 'email') ?? ''),
    },
  },
});

/** The fields of the application, if it has any. */
function ownFields(visit: ShownVisit, attempt: Attempt | null): Value {
  return visit.features.hasSignUpFields && signUpFields(visit, { attempt, fields: fieldViews(visit) });
}

/** Null for a user who is not a guest any more, and before an address was typed. */
function emailOf(visit: ShownVisit): string | null {
  return visit.record.isGuest ? (pendingOf(visit, visit.me.id, 'email') ?? null) : null;
}

export const upgradePages: readonly AccountPage[] = [startPage, codePage];
