/** The verification of the address of an account, with the mailed code, after which the user arrives at the page that was asked for. */
import { continueSession, endBrowserSession } from '../../http/signed-in.js';
import { mustVerify } from '../../http/session-requirements.js';
import { FieldError, type Attempt } from '../../pages-kit/attempt.js';
import { accountField, isMarkOf, markOf } from '../account/typed.js';
import { requiredCode } from '../code-input.js';
import type { Features } from '../features.js';
import { definePage, goTo, type Next, type SessionVisit, type View, type Visit } from '../page.js';
import { keepPending, pendingOf } from '../pending.js';
import { noteSent, resendPause } from '../sent.js';
import { leave } from '../sign-in/arrive.js';
import { sessionOf } from '../sign-in/signed-in.js';
import type { VerifyView } from '../views.js';

const isOffered = ({ account, verification, passkeySignUp }: Features) =>
  verification !== null || (passkeySignUp === 'later' && account !== null);

const codePage = definePage({
  path: ({ verify }) => verify,
  access: 'open',
  isOffered,
  show: (visit, attempt) => show(visit, attempt, 'code'),
  forms: {
    '': {
      access: 'no-impersonation',
      async submit(values, visit) {
        const { context, features, session, texts } = visit;
        checkAccount(values, visit);
        const code = requiredCode(values, texts);
        await features.verification?.verifyEmail({ userId: session.user.id, code }, context);
        return leave(visit);
      },
    },
    again: {
      access: 'session',
      async submit(values, visit) {
        const { context, features, paths, session } = visit;
        checkAccount(values, visit);
        await features.verification?.sendVerification(session.user.id, context);
        noteSent(visit, 'email_verification', session.user.email ?? '');
        return goTo(paths.verify);
      },
    },
    /** Gives the account the address that waits for its code. */
    new: {
      access: 'recent',
      async submit(values, visit) {
        const { context, features, req, res, service, session, texts } = visit;
        checkAccount(values, visit);
        const email = newAddressOf(visit, session.user);
        if (email === undefined || !features.account) return goTo(visit.paths.verify);
        const change = { userId: session.user.id, email, code: requiredCode(values, texts) };
        continueSession(service, req, res, await features.account.confirmEmailChange(change, context));
        keepPending(visit, session.user.id, 'email', undefined);
        return leave(visit);
      },
    },
    'new/again': {
      access: 'recent',
      async submit(values, visit) {
        checkAccount(values, visit);
        const email = newAddressOf(visit, visit.session.user);
        return email === undefined ? goTo(visit.paths.verify) : sendCode(visit, email);
      },
    },
    'sign-out': {
      access: 'session',
      async submit(values, visit) {
        const { paths, req, res, service } = visit;
        checkAccount(values, visit);
        await endBrowserSession(service, req, res);
        return goTo(paths.signIn);
      },
    },
  },
});

/** For a user who has mistyped the address: nothing changes before the code of the other one is entered. */
const addressPage = definePage({
  path: ({ verify }) => `${verify}/address`,
  access: 'open',
  isOffered: (features) => isOffered(features) && features.addresses !== null,
  show: (visit, attempt) => show(visit, attempt, 'address'),
  forms: {
    '': {
      access: 'recent',
      async submit(values, visit) {
        const { paths, session, texts } = visit;
        checkAccount(values, visit);
        const { email: current, emailVerified, id } = session.user;
        if (emailVerified) return leave(visit);
        const email = (values.get('email') ?? '').trim();
        if (email === '') throw new FieldError('email', texts.errors.emailMissing);
        if (email.toLowerCase() !== current) return sendCode(visit, email);
        // Back to the address that the account has, whose code is still valid.
        keepPending(visit, id, 'email', undefined);
        return goTo(paths.verify);
      },
    },
  },
});

export const verifyPages = [codePage, addressPage];

async function show(visit: Visit, attempt: Attempt | null, step: VerifyView['step']): Promise<View | Next> {
  const caller = await sessionOf(visit);
  const { base, features, flow, homeUrl, paths, service, templates, texts } = visit;
  if (!caller) return goTo(`${paths.signIn}?next=${encodeURIComponent(base + paths.verify)}`);
  const { user } = caller.session;
  const newEmail = newAddressOf(visit, user);
  const email = newEmail ?? user.email;
  if (email === null || user.emailVerified || (newEmail === undefined && !features.verification))
    return leave(visit);
  const isCode = step === 'code';
  const path = newEmail === undefined ? paths.verify : `${paths.verify}/new`;
  const purpose = newEmail === undefined ? 'email_verification' : 'email_change';
  const title = isCode ? texts.checkEmail.title : texts.account.profile.changeEmail;
  // Not in the cookie: each tab has the account that it was shown to.
  const shown = { ...visit, flow: { ...flow, account: markOf(service, user.id, user.email) } };
  const body = templates.verify(shown, {
    title,
    attempt,
    step,
    email,
    digits: features.codeDigits,
    action: isCode ? path : `${paths.verify}/address`,
    resend: newEmail === undefined || features.addresses ? `${path}/again` : null,
    resendIn: resendPause(visit, purpose, email),
    addressPath: features.addresses ? `${paths.verify}/address` : null,
    laterUrl: mustVerify(service, user) ? null : (flow.next ?? homeUrl),
    signOut: `${paths.verify}/sign-out`,
  });
  return { title, body };
}

/** Changes nothing for a tab that shows another account than the browser is signed in to. @throws FieldError */
function checkAccount(values: URLSearchParams, { service, session, texts }: SessionVisit): void {
  const mark = values.get(accountField);
  const { email, id } = session.user;
  if (mark === null || isMarkOf(service, id, mark)) return;
  // What the other user has typed is not shown.
  for (const name of ['code', 'email']) values.delete(name);
  const { otherAccount, otherAccountUnnamed } = texts.notices;
  throw new FieldError('', email === null ? otherAccountUnnamed : otherAccount(email));
}

/** The address that waits for its code: the first one of the account, or another one than the account was created with. */
function newAddressOf(
  visit: Visit,
  { emailVerified, id }: SessionVisit['session']['user'],
): string | undefined {
  return emailVerified || !visit.features.account ? undefined : pendingOf(visit, id, 'email');
}

async function sendCode(visit: SessionVisit, email: string): Promise<Next> {
  const { context, features, paths, session } = visit;
  await features.account?.requestEmailChange({ userId: session.user.id, email }, context);
  keepPending(visit, session.user.id, 'email', email);
  noteSent(visit, 'email_change', email);
  return goTo(paths.verify);
}
