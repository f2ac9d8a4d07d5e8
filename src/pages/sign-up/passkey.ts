/** A new account with a passkey (docs/decisions/passkey-sign-up.md). */
import { FieldError, FieldErrors, type Attempt } from '../../pages-kit/attempt.js';
import { runCeremony } from '../ceremony.js';
import { solutionOf } from '../challenge.js';
import { requiredCode } from '../code-input.js';
import { keepPending } from '../pending.js';
import { emptyFields, fieldsIn, fieldViews, withFieldErrors } from './fields.js';
import { noteSent, resendPause } from '../sent.js';
import { definePage, goTo, type Ceremony, type Next, type View, type Visit } from '../page.js';
import { arrive, leave } from '../sign-in/arrive.js';
import { accountHolderOf } from '../sign-in/signed-in.js';

export const passkeySignUpPage = definePage({
  path: ({ signUp }) => `${signUp}/passkey`,
  access: 'open',
  isOffered: ({ passkeySignUp }) => passkeySignUp !== null,
  async show(visit, attempt) {
    if (await accountHolderOf(visit)) return leave(visit);
    // An invitation to a closed sign-up needs another method.
    if (!visit.features.isSignUpOpen) return goTo(visit.paths.signUp);
    return view(visit, attempt, 'start');
  },
  forms: {
    '': {
      access: 'open',
      async submit(values, visit) {
        const { features } = visit;
        if (features.passkeySignUp !== 'verified') return create(visit, values);
        return sendCode(visit, addressOf(visit, values), values);
      },
    },
  },
});

export const passkeySignUpCodePage = definePage({
  path: ({ signUp }) => `${signUp}/passkey/code`,
  access: 'open',
  isOffered: ({ passkeySignUp }) => passkeySignUp === 'verified',
  show: (visit, attempt) =>
    visit.flow.email === undefined ? goTo(`${visit.paths.signUp}/passkey`) : view(visit, attempt, 'code'),
  forms: {
    '': { access: 'open', submit: async (values, visit) => create(visit, values) },
    again: {
      access: 'open',
      async submit(values, visit) {
        const { email } = visit.flow;
        return email === undefined ? goTo(`${visit.paths.signUp}/passkey`) : sendCode(visit, email, values);
      },
    },
  },
});

async function sendCode(visit: Visit, email: string, values: URLSearchParams): Promise<Next> {
  const { context, features, paths } = visit;
  const input = { email, ...solutionOf(values, visit) };
  const { codeFormat } = await features.webauthn!.sendSignUpCode(input, context);
  visit.keep({ email, codeFormat });
  noteSent(visit, 'passkey_signup', email);
  return goTo(`${paths.signUp}/passkey/code`);
}

function view(visit: Visit, attempt: Attempt | null, step: 'start' | 'code'): View {
  const { features, flow, paths, templates, texts } = visit;
  const title = step === 'code' ? texts.checkEmail.title : texts.signUp.title;
  const body = templates.passkeySignUp(visit, {
    title,
    attempt,
    step,
    email: flow.email?.includes('@') ? flow.email : null,
    hasEmail: features.passkeySignUp !== 'none',
    hasUsernames: features.hasUsernames,
    createsPasskey: step === 'code' || features.passkeySignUp !== 'verified',
    digits: features.codeDigits,
    hasLetters: flow.codeFormat === 'letters',
    fields: fieldViews(visit),
    resend: step === 'code' ? `${paths.signUp}/passkey/code/again` : null,
    resendIn: resendPause(visit, 'passkey_signup', flow.email ?? ''),
  });
  return { title, body };
}

async function create(visit: Visit, values: URLSearchParams): Promise<Next | Ceremony> {
  const { context, features, paths, texts } = visit;
  const webauthn = features.webauthn!;
  const address = features.passkeySignUp;
  return runCeremony(visit, values, {
    ceremony: 'create',
    async start() {
      const username = (values.get('username') ?? '').trim();
      const missing = emptyFields(values, visit);
      if (address !== 'none' && emailIn(values) === '') missing.set('email', texts.errors.emailMissing);
      if (missing.size > 0) throw new FieldErrors(missing);
      const email = address === 'none' ? {} : { email: addressOf(visit, values) };
      const code = address === 'verified' ? { code: requiredCode(values, texts) } : {};
      const named = features.hasUsernames && username !== '' ? { username } : {};
      const input = {
        ...email,
        ...code,
        ...named,
        fields: fieldsIn(values, visit),
        ...solutionOf(values, visit),
      };
      return withFieldErrors(values, visit, () => webauthn.startSignUp(input, context));
    },
    async finish(answer) {
      const result = await webauthn.finishSignUp(answer, context);
      const next = arrive(visit, result);
      if (address !== 'later' || !features.account) return next;
      // The code for the address is on its way.
      const email = emailIn(values);
      keepPending(visit, result.user.id, 'email', email);
      noteSent(visit, 'email_change', email);
      return goTo(paths.verify);
    },
  });
}

const emailIn = (values: URLSearchParams) => (values.get('email') ?? '').trim();

/** @throws FieldError without an address. */
function addressOf({ texts }: Visit, values: URLSearchParams): string {
  const email = emailIn(values);
  if (email === '') throw new FieldError('email', texts.errors.emailMissing);
  return email;
}
