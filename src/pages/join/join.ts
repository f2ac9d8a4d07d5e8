/** An invite to an organization, by the link in its mail. */
import { maskEmailAddress } from '../../domain/email-address.js';
import { isServiceError } from '../../errors/service-error.js';
import { endBrowserSession } from '../../http/signed-in.js';
import { FieldError } from '../../pages-kit/attempt.js';
import { definePage, goTo, type Next, type Visit } from '../page.js';
import { noteSent } from '../sent.js';
import { isAccountHolder, sessionOf } from '../sign-in/signed-in.js';
import type { JoinView } from '../views.js';

export const joinPage = definePage({
  path: ({ join }) => join,
  access: 'open',
  isOffered: ({ orgs }) => orgs !== null,
  async show(visit, attempt) {
    const { context, features, query, templates, texts } = visit;
    const token = attempt?.values.get('token') ?? query.get('token') ?? '';
    const { organization, role, email } = await features.orgs!.previewInvite(token, context);
    const title = texts.join.title(organization.name);
    const body = templates.join(visit, {
      title,
      attempt,
      organization: organization.name,
      role,
      email,
      token,
      ...(await stepOf(visit, email, attempt !== null)),
      signInPath: signInPath(visit, token),
    });
    return { title, body };
  },
  forms: {
    '': {
      access: 'no-impersonation',
      async submit(values, visit) {
        try {
          await visit.features.orgs!.acceptInvite(values.get('token') ?? '', visit.session.user.id);
        } catch (error) {
          // The page says what to do.
          if (isServiceError(error) && error.code === 'not_authorized') throw new FieldError('email', '');
          throw error;
        }
        return { to: visit.homeUrl, isOutside: true };
      },
    },
    /** Signs out, and leads to the sign-in with the invited address. */
    change: { access: 'open', submit: changeAccount },
    /** Verifies the address of the account, which is the invited one, and returns to the invite. */
    verify: {
      access: 'session',
      async submit(values, visit) {
        const { base, context, features, paths, session } = visit;
        if (features.verification) {
          await features.verification.sendVerification(session.user.id, context);
          noteSent(visit, 'email_verification', session.user.email ?? '');
          visit.keep({ next: base + pathOf(visit, values.get('token') ?? '') });
          return goTo(paths.verify);
        }
        // A sign-in with a mailed code or link verifies the address.
        return changeAccount(values, visit);
      },
    },
  },
});

async function changeAccount(values: URLSearchParams, visit: Visit): Promise<Next> {
  const { req, res, service } = visit;
  await endBrowserSession(service, req, res);
  visit.keep({ email: undefined });
  return goTo(signInPath(visit, values.get('token') ?? ''));
}

/**
 * @param invited the masked address of the invite.
 * @param wasRefused whether the account could not accept it.
 */
async function stepOf(
  visit: Visit,
  invited: string,
  wasRefused: boolean,
): Promise<Pick<JoinView, 'step' | 'currentEmail'>> {
  const caller = await sessionOf(visit);
  // An invite belongs to an address, which a guest does not have.
  if (!caller || !(await isAccountHolder(visit))) return { step: 'signIn', currentEmail: null };
  const { email: currentEmail, emailVerified } = caller.session.user;
  if (currentEmail === null || maskEmailAddress(currentEmail) !== invited)
    return { step: 'change', currentEmail };
  if (!emailVerified) return { step: 'verify', currentEmail };
  return { step: wasRefused ? 'change' : 'accept', currentEmail };
}

function pathOf({ paths }: Visit, token: string): string {
  return `${paths.join}?token=${encodeURIComponent(token)}`;
}

function signInPath(visit: Visit, token: string): string {
  return `${visit.paths.signIn}?next=${encodeURIComponent(visit.base + pathOf(visit, token))}`;
}
