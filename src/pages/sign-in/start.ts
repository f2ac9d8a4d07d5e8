/** The first step of a sign-in: the address, or a method that needs none. */
import { parseEmailAddress } from '../../domain/email-address.js';
import { blockedView } from '../blocked.js';
import { sentenceFor } from '../form-errors.js';
import { definePage, goTo, type Entry } from '../page.js';
import { FieldError } from '../../pages-kit/attempt.js';
import { leave } from './arrive.js';
import { beginWith, methodsFor, methodsOf, methodsWithoutAddress } from './methods.js';
import { canSignUp } from '../sign-up/invited.js';
import type { Texts } from '../texts/texts.js';
import { visitorOf } from './signed-in.js';
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
    const { caller, isGuest } = await visitorOf(visit);
    if (caller && !isGuest) {
      const next = afterRefusal(visit, query);
      if (next !== null) visit.flow.next = next;
      const isCanceled = canceledAt(visit) !== null;
      const message = next === null && !isCanceled ? refusedSentence(refusal, texts) : null;
      if (message === null) return leave(visit);
      const { failedTitle } = texts.errors;
      const body = templates.error(visit, { title: failedTitle, message, isSignedIn: true });
      return { title: failedTitle, body };
    }
    if (refusal === 'user_blocked') return blockedView(visit);
    const canceled = canceledAt(visit);
    const title = texts.signIn.title(name);
    const body = templates.signIn(visit, {
      title,
      attempt,
      refusal:
        attempt?.errors.get('') === undefined && canceled === null ? sentenceFor(refusal, texts) : null,
      notice: canceled ?? (attempt || refusal !== '' ? null : noticeOf(query, texts)),
      isGuest,
      canSignUp: await canSignUp(visit),
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
        // A user name has no space, and an address has its form: the password of neither could be right.
        const isUsername = features.hasUsernames && !email.includes('@');
        if (isUsername && /\s/.test(email)) throw new FieldError('email', emailOrUsernameMissing);
        if (!isUsername && !isEmailAddress(email)) throw new FieldError('email', texts.errors.email);
        const [method] = methodsFor(email, visit);
        if (!method) throw new FieldError('email', texts.errors.invalid);
        delete flow.remember;
        if (rememberMe && values.get('remember') !== 'yes') flow.remember = false;
        return beginWith(method, email, visit, values);
      },
    },
  },
});

/** Returns what a signed-in user hears about another sign-in. Null for a link that was used or is too old: nothing is left to do. */
function refusedSentence(refusal: string, texts: Texts): string | null {
  if (['token_invalid', 'code_expired', 'code_not_found'].includes(refusal)) return null;
  return refusal === 'user_blocked' ? texts.errors.blocked : sentenceFor(refusal, texts);
}

/** Returns what the page says to a visitor who has canceled at an identity provider, or null. */
function canceledAt({ offers, query, texts }: Entry): string | null {
  if (query.get('error') !== 'oauth_error' || query.get('reason') !== 'access_denied') return null;
  const provider = offers.providers.find(({ id }) => id === query.get('provider'));
  return provider ? texts.signIn.canceled(provider.label) : null;
}

function isEmailAddress(text: string): boolean {
  try {
    return parseEmailAddress(text) !== '';
  } catch {
    return false;
  }
}

/** Returns what has happened before. The address has a code, so that no link makes the page say what its author wants. */
function noticeOf(query: URLSearchParams, { notices }: Texts): string | null {
  switch (query.get('notice')) {
    case 'session_ended':
      return notices.sessionEnded;
    case 'signed_out':
      return notices.signedOut;
    default:
      return null;
  }
}
