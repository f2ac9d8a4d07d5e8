/** The verification of the address of a new account, with the mailed code. */
import { continueSession } from '../../http/signed-in.js';
import { requiredCode } from '../code-input.js';
import { goTo, type Next, type Page, type Visit } from '../page.js';
import { leave } from '../sign-in/arrive.js';
import { sessionOf } from '../sign-in/signed-in.js';

export const verifyPage: Page = {
  path: ({ verify }) => verify,
  isOffered: ({ addresses, hasVerification, passkeySignUp }) =>
    hasVerification || (passkeySignUp === 'later' && addresses !== null),
  async show(visit, attempt) {
    const session = await sessionOf(visit);
    if (!session) return toSignIn(visit);
    const { features, flow, homeUrl, paths, templates, texts } = visit;
    const { email: current, emailVerified } = session.user;
    // An account that began with a passkey has no address yet.
    const isNew = current === null && features.addresses !== null;
    const email = isNew ? flow.newEmail : (current ?? undefined);
    if (email === undefined || emailVerified || !(isNew || features.hasVerification)) return leave(visit);
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
      const { id: userId, email, epoch } = session.user;
      const code = requiredCode(values, visit.texts);
      if (email === null && features.addresses) {
        const change = { userId, email: values.get('email') ?? '', code };
        const withEpoch = { ...context, sessionEpoch: epoch };
        continueSession(service, req, res, await features.addresses.confirmEmailChange(change, withEpoch));
        return leave(visit);
      }
      await features.password!.verifyEmail({ userId, code }, context);
      return leave(visit);
    },
    async again(_values, visit) {
      const session = await sessionOf(visit);
      if (!session) return toSignIn(visit);
      const { context, features, flow, paths } = visit;
      const { id: userId, email } = session.user;
      if (email !== null) await features.password?.sendVerification(userId, context);
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
