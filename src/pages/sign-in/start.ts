/** The first step of a sign-in: the address, or a method that needs none. */
import { sentenceFor } from '../form-errors.js';
import { definePage, goTo } from '../page.js';
import { FieldError } from '../../pages-kit/attempt.js';
import { leave } from './arrive.js';
import { beginWith, methodsFor, methodsOf, methodsWithoutAddress } from './methods.js';
import { isAccountHolder } from './signed-in.js';
import { afterRefusal } from '../account/security/connected.js';

export const signInPage = definePage({
  path: ({ signIn }) => signIn,
  access: 'open',
  isOffered: ({ code, google, link, oauth, passkeys, password, phone }) =>
    Boolean(code ?? google ?? link ?? passkeys ?? password ?? phone) || oauth.length > 0,
  async show(visit, attempt) {
    const { features, firstMethod, name, paths, query, rememberMe, templates, texts } = visit;
    const refusal = query.get('error') ?? '';
    // A passkey that is one factor only.
    if (refusal === 'mfa_required') return goTo(paths.twoFactor);
    const provider = query.get('provider') ?? '';
    const reason = query.get('reason') ?? '';
    if (await isAccountHolder(visit)) {
      const next = afterRefusal(visit, provider, reason);
      if (next !== null) visit.flow.next = next;
      return leave(visit);
    }
    const isCanceled = refusal === 'oauth_error' && reason === 'access_denied';
    const label = isCanceled ? visit.offers.providers.find(({ id }) => id === provider)?.label : undefined;
    const title = texts.signIn.title(name);
    const body = templates.signIn(visit, {
      title,
      attempt,
      refusal:
        attempt?.errors.get('') === undefined && label === undefined ? sentenceFor(refusal, texts) : null,
      notice: label === undefined ? null : texts.signIn.canceled(label),
      hasAddress: methodsOf(features, firstMethod).length > 0,
      hasUsernames: features.hasUsernames && features.password !== null,
      hasAutofill: features.hasPasskeySignIn,
      asksToRemember: rememberMe,
      others: methodsWithoutAddress(visit, 'sign-in'),
    });
    return { title, body };
  },
  forms: {
    '': {
      access: 'open',
      async submit(values, visit) {
        const { features, flow, rememberMe, texts } = visit;
        const email = (values.get('email') ?? '').trim();
        const { emailMissing, emailOrUsernameMissing } = texts.errors;
        if (email === '')
          throw new FieldError('email', features.hasUsernames ? emailOrUsernameMissing : emailMissing);
        const [method] = methodsFor(email, visit);
        if (!method) throw new FieldError('email', texts.errors.invalid);
        delete flow.remember;
        if (rememberMe && values.get('remember') !== 'yes') flow.remember = false;
        return beginWith(method, email, visit, values);
      },
    },
  },
});
