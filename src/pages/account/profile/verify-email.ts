/** The verification of the current address with a mailed code. */
import { html } from '../../../html/html.js';
import { requiredCode } from '../../code-input.js';
import { noteSent } from '../../sent.js';
import { changeBody } from '../change.js';
import { codeForm } from '../code-form.js';
import { at, defineAccountPage, done } from '../page.js';

export const verifyEmailPage = defineAccountPage({
  section: 'profile',
  path: '/profile/verify-email',
  access: 'no-impersonation',
  isOffered: ({ verification }) => verification !== null,
  show(visit, attempt) {
    const { query, record, words } = visit;
    const { profile } = words;
    if (record.email === null || record.emailVerified) return done(visit, '/profile');
    const email = html`<strong><bdi>${record.email}</bdi></strong>`;
    const path = at(visit, '/profile/verify-email');
    // A wrong code must not lead back to the first step.
    const wasSent = query.has('sent') || attempt?.values.has('code');
    const cancel = at(visit, '/profile');
    const step = wasSent
      ? codeForm(visit, {
          attempt,
          action: path,
          resend: `${path}/send`,
          sent: ['email_verification', record.email],
          submit: profile.verify,
          cancel,
        })
      : { form: { action: `${path}/send`, submit: profile.sendCode, cancel } };
    const lead = wasSent ? profile.codesSent(email) : profile.verifyLead(email);
    const body = changeBody(visit, { lead, ...step });
    return {
      title: profile.verifyTitle,
      parent: { label: words.sections.profile, path: '/profile' },
      body,
    };
  },
  forms: {
    send: {
      access: 'session',
      async submit(_values, visit) {
        const { context, me, offers } = visit;
        await offers.verification!.sendVerification(me.id, context);
        noteSent(visit, 'email_verification', me.email ?? '');
        return { to: `${at(visit, '/profile/verify-email')}?sent=yes` };
      },
    },
    '': {
      access: 'no-impersonation',
      async submit(values, visit) {
        const { context, me, offers, texts } = visit;
        const code = requiredCode(values, texts);
        await offers.verification!.verifyEmail({ userId: me.id, code }, context);
        return done(visit, '/profile', 'verified');
      },
    },
  },
});
