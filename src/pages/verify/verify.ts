/** The verification of the address of an account, with the mailed code, after which the user arrives at the page that was asked for. */
import { continueSession } from '../../http/signed-in.js';
import { requiredCode } from '../code-input.js';
import { definePage, goTo, type Next, type SessionVisit, type Visit } from '../page.js';
import { keepPending, pendingOf } from '../pending.js';
import { leave } from '../sign-in/arrive.js';
import { sessionOf } from '../sign-in/signed-in.js';

export const verifyPage = definePage({
  path: ({ verify }) => verify,
  access: 'open',
  isOffered: ({ addresses, verification, passkeySignUp }) =>
    verification !== null || (passkeySignUp === 'later' && addresses !== null),
  async show(visit, attempt) {
    const caller = await sessionOf(visit);
    if (!caller) return toSignIn(visit);
    const { features, flow, homeUrl, paths, templates, texts } = visit;
    const { id, email: current, emailVerified } = caller.session.user;
    // An account that began with a passkey has no address yet.
    const isNew = current === null && features.addresses !== null;
    const email = isNew ? pendingOf(visit, id, 'email') : (current ?? undefined);
    if (email === undefined || emailVerified || !(isNew || features.verification)) return leave(visit);
    const { title } = texts.checkEmail;
    const body = templates.verify(visit, {
      title,
      attempt,
      email,
      digits: features.codeDigits,
      action: isNew ? `${paths.verify}/new` : paths.verify,
      resend: isNew ? `${paths.verify}/new/again` : `${paths.verify}/again`,
      laterUrl: isNew ? (flow.next ?? homeUrl) : null,
    });
    return { title, body };
  },
  forms: {
    '': {
      access: 'no-impersonation',
      async submit(values, visit) {
        const { context, features, session, texts } = visit;
        const code = requiredCode(values, texts);
        await features.verification?.verifyEmail({ userId: session.user.id, code }, context);
        return leave(visit);
      },
    },
    again: {
      access: 'session',
      async submit(_values, visit) {
        await visit.features.verification?.sendVerification(visit.session.user.id, visit.context);
        visit.keep({});
        return goTo(visit.paths.verify);
      },
    },
    /** Sets the first address of an account. */
    new: {
      access: 'recent',
      async submit(values, visit) {
        const { context, features, req, res, service, session, texts } = visit;
        const email = addressOf(visit);
        if (email === undefined || !features.addresses) return leave(visit);
        const change = { userId: session.user.id, email, code: requiredCode(values, texts) };
        continueSession(service, req, res, await features.addresses.confirmEmailChange(change, context));
        keepPending(visit, session.user.id, 'email', undefined);
        return leave(visit);
      },
    },
    'new/again': {
      access: 'recent',
      async submit(_values, visit) {
        const { context, features, paths, session } = visit;
        const email = addressOf(visit);
        if (email !== undefined)
          await features.addresses?.requestEmailChange({ userId: session.user.id, email }, context);
        visit.keep({});
        return goTo(paths.verify);
      },
    },
  },
});

/** The address that waits for its code, if the account has none. One that has an address changes it in the account. */
function addressOf(visit: SessionVisit): string | undefined {
  const { email, id } = visit.session.user;
  return email === null ? pendingOf(visit, id, 'email') : undefined;
}

function toSignIn({ paths }: Visit): Next {
  return goTo(`${paths.signIn}?next=${encodeURIComponent(paths.verify)}`);
}
