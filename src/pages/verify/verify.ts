/** The verification of the address of an account, with the mailed code, after which the user arrives at the page that was asked for. */
import { refuseImpersonation } from '../../http/session-requirements.js';
import { continueSession } from '../../http/signed-in.js';
import { requiredCode } from '../code-input.js';
import { goTo, type Next, type Page, type Visit } from '../page.js';
import { leave } from '../sign-in/arrive.js';
import { sessionOf } from '../sign-in/signed-in.js';

export const verifyPage: Page = {
  path: ({ verify }) => verify,
  isOffered: ({ addresses, verification, passkeySignUp }) =>
    verification !== null || (passkeySignUp === 'later' && addresses !== null),
  async show(visit, attempt) {
    const session = await sessionOf(visit);
    if (!session) return toSignIn(visit);
    const { features, flow, homeUrl, paths, templates, texts } = visit;
    const { email: current, emailVerified } = session.user;
    // An account that began with a passkey has no address yet.
    const isNew = current === null && features.addresses !== null;
    const email = isNew ? flow.newEmail : (current ?? undefined);
    if (email === undefined || emailVerified || !(isNew || features.verification)) return leave(visit);
    const { title } = texts.checkEmail;
    const body = templates.verify(visit, {
      title,
      attempt,
      email,
      digits: features.codeDigits,
      resend: `${paths.verify}/again`,
      laterUrl: isNew ? (flow.next ?? homeUrl) : null,
    });
    return { title, body };
  },
  forms: {
    async ''(values, visit) {
      const session = await sessionOf(visit);
      if (!session) return toSignIn(visit);
      const { context, features, req, res, service } = visit;
      refuseImpersonation(session);
      const { id: userId, email, epoch } = session.user;
      const withEpoch = { ...context, sessionEpoch: epoch };
      const code = requiredCode(values, visit.texts);
      if (email === null && features.addresses) {
        const change = { userId, email: values.get('email') ?? '', code };
        continueSession(service, req, res, await features.addresses.confirmEmailChange(change, withEpoch));
        return leave(visit);
      }
      await features.verification?.verifyEmail({ userId, code }, withEpoch);
      return leave(visit);
    },
    async again(_values, visit) {
      const session = await sessionOf(visit);
      if (!session) return toSignIn(visit);
      const { context, features, flow, paths } = visit;
      const { id: userId, email } = session.user;
      if (email !== null) await features.verification?.sendVerification(userId, context);
      else if (flow.newEmail !== undefined)
        await features.addresses?.requestEmailChange({ userId, email: flow.newEmail }, context);
      visit.keep({});
      return goTo(paths.verify);
    },
  },
};

function toSignIn({ paths }: Visit): Next {
  return goTo(`${paths.signIn}?next=${encodeURIComponent(paths.verify)}`);
}
