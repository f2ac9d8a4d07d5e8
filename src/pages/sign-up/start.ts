/** A new account: with a password, or with a mailed code or link, which creates it. */
import { isServiceError } from '../../errors/service-error.js';
import { keepSignUp } from '../../http/sign-up-cookie.js';
import { continueSession } from '../../http/signed-in.js';
import { FieldErrors } from '../../pages-kit/attempt.js';
import { solutionOf } from '../challenge.js';
import { emptyFields, fieldsIn, fieldViews, withFieldErrors } from './fields.js';
import { definePage, goTo, type Next, type SessionVisit, type Visit } from '../page.js';
import { arrive, leave } from '../sign-in/arrive.js';
import type { OtherMethods } from '../views.js';
import { noteSent } from '../sent.js';
import { beginWith, methodsOf, methodsWithoutAddress } from '../sign-in/methods.js';
import { visitorOf } from '../sign-in/signed-in.js';
import { canSignUp, invitedOnlyView, inviteOf, inviteTokenIn } from './invited.js';

export const signUpPage = definePage({
  path: ({ signUp }) => signUp,
  access: 'open',
  isOffered: ({ code, link, passkeySignUp, password }) => Boolean(code ?? link ?? passkeySignUp ?? password),
  async show(visit, attempt) {
    const visitor = await visitorOf(visit);
    if (visitor.caller && !visitor.isGuest) return leave(visit);
    if (!(await canSignUp(visit))) return invitedOnlyView(visit);
    const { features, firstMethod, templates, texts } = visit;
    const { title } = texts.signUp;
    // Only the form keeps what a guest has done: the other methods create another account.
    const isGuest = canUpgrade(visit) && visitor.isGuest;
    const hasPassword = usesPassword(visit, isGuest);
    const body = templates.signUp(visit, {
      title,
      attempt,
      hasPassword,
      minPasswordLength: features.minPasswordLength,
      estimatorPath: visit.estimatorPath,
      // A code or a link asks for them when its address is proven.
      fields: hasPassword ? fieldViews(visit) : [],
      // An upgrade of a guest takes no user name. The account page does.
      hasUsernames: hasPassword && features.hasUsernames && !isGuest,
      hasAddress: methodsOf(features, firstMethod).length > 0,
      isGuest,
      isEmailOptional: hasPassword && isEmailOptional(visit, isGuest),
      invitedAddress: (await inviteOf(visit))?.email ?? null,
      others: isGuest ? noMethods : methodsWithoutAddress(visit, 'sign-up'),
    });
    return { title, body };
  },
  forms: {
    '': {
      access: 'open',
      ofGuest: 'no-impersonation',
      async submit(values, visit, guest) {
        const { features, firstMethod, paths } = visit;
        const email = (values.get('email') ?? '').trim();
        const hasPassword = usesPassword(visit, guest !== null);
        refuseEmpty(visit, values, { hasPassword, isEmailOptional: isEmailOptional(visit, guest !== null) });
        if (!hasPassword) {
          if (guest && features.code) return sendUpgradeCode(guest, email, values);
          const [method] = methodsOf(features, firstMethod).filter((each) => each !== 'password');
          return beginWith(method ?? 'code', email, visit, values);
        }
        const password = values.get('password') ?? '';
        if (guest) return upgrade(guest, { email, password }, values);
        const username = (values.get('username') ?? '').trim();
        const named = features.hasUsernames && username !== '' ? { username } : {};
        const fields = fieldsIn(values, visit);
        const inviteToken = features.isSignUpOpen ? null : inviteTokenIn(visit);
        const invited = inviteToken === null ? {} : { inviteToken };
        const addressed = email === '' ? {} : { email };
        const input = { ...addressed, password, fields, ...named, ...invited, ...solutionOf(values, visit) };
        const result = await keepingTaken(visit, email, () =>
          withFieldErrors(values, visit, () => features.password!.startSignUp(input, visit.context)),
        );
        if ('token' in result) {
          keepSignUp(visit.service, visit.req, visit.res, result);
          visit.keep({ email, codeFormat: result.codeFormat });
          noteSent(visit, 'sign_up', email);
          return goTo(`${paths.signUp}/code`);
        }
        return email === '' ? arrive(visit, result) : thenVerify(visit, arrive(visit, result), email);
      },
    },
  },
});

/** Marks everything that is missing at once. @throws FieldErrors */
function refuseEmpty(
  visit: Visit,
  values: URLSearchParams,
  { hasPassword, isEmailOptional }: { hasPassword: boolean; isEmailOptional: boolean },
): void {
  const { errors: texts } = visit.texts;
  const minLength = visit.features.minPasswordLength;
  const [email, password] = [(values.get('email') ?? '').trim(), values.get('password') ?? ''];
  const errors = new Map(hasPassword ? emptyFields(values, visit) : []);
  const username = (values.get('username') ?? '').trim();
  if (email === '' && isEmailOptional && username === '')
    errors.set('username', texts.emailOrUsernameMissing);
  else if (email === '' && !(hasPassword && isEmailOptional)) errors.set('email', texts.emailMissing);
  if (hasPassword && password === '') errors.set('password', texts.passwordMissing);
  else if (hasPassword && [...password].length < minLength) errors.set('password', texts.passwordShort);
  if (errors.size > 0) throw new FieldErrors(errors);
}

/** Keeps an address that has an account for the sign-in, which the user opens next. */
async function keepingTaken<Result>(
  visit: Visit,
  email: string,
  signUp: () => Promise<Result>,
): Promise<Result> {
  try {
    return await signUp();
  } catch (error) {
    if (isServiceError(error) && error.code === 'email_exists') visit.keep({ email });
    throw error;
  }
}

/** An invite is for an address, and so is the account of a guest. */
function isEmailOptional({ features }: Visit, isGuest: boolean): boolean {
  return features.signsUpWithoutEmail && features.isSignUpOpen && !isGuest;
}

function canUpgrade({ features }: Visit): boolean {
  return Boolean(features.password ?? features.code);
}

const noMethods: OtherMethods = {
  providers: [],
  hasManyProviders: false,
  lastUsed: null,
  hasPasskey: false,
  hasPasskeySignUp: false,
  phonePath: null,
};

/** A guest proves the address first if sign-ups are private: the response must not reveal whether it has an account. */
function usesPassword({ features }: Visit, isGuest: boolean): boolean {
  return features.password !== null && !(isGuest && features.isPrivateSignUp && features.code !== null);
}

/** Shows the code of the address next, if one was mailed. */
function thenVerify(visit: Visit, next: Next, email: string): Next {
  if (!visit.features.hasVerification) return next;
  noteSent(visit, 'email_verification', email);
  return goTo(visit.paths.verify);
}

async function upgrade(
  visit: SessionVisit,
  credentials: { email: string; password: string },
  values: URLSearchParams,
): Promise<Next> {
  const { context, features, req, res, service, session } = visit;
  const fields = fieldsIn(values, visit);
  const account = { userId: session.user.id, ...credentials, fields, ...solutionOf(values, visit) };
  const changed = await keepingTaken(visit, credentials.email, () =>
    withFieldErrors(values, visit, () => features.password!.upgradeGuest(account, context)),
  );
  continueSession(service, req, res, changed);
  return thenVerify(visit, leave(visit), credentials.email);
}

/** Mails a guest the code for the address of the account. */
export async function sendUpgradeCode(
  visit: SessionVisit,
  email: string,
  values: URLSearchParams,
): Promise<Next> {
  const input = { userId: visit.session.user.id, email, ...solutionOf(values, visit) };
  const { codeFormat } = await visit.features.code!.sendUpgradeCode(input, visit.context);
  visit.keep({ email, codeFormat });
  noteSent(visit, 'guest_upgrade', email);
  return goTo(`${visit.paths.signUp}/code`);
}
