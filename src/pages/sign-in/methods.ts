/**
 * The methods of a sign-in, in the order in which the pages offer them. What comes next never depends on whether an account exists, or
 * which methods it has: anyone can type an address, and would learn who is a customer and whose password is worth guessing.
 */
import { sha256 } from '../../crypto/digest.js';
import { readLastMethod } from '../../http/last-method-cookie.js';
import { rememberLinkBrowser } from '../../http/link-browser.js';
import { solutionOf } from '../challenge.js';
import type { Features } from '../features.js';
import type { FirstMethod } from '../options.js';
import { keepLink } from '../flow.js';
import { goTo, type Next, type Visit, type OpenForm } from '../page.js';
import { noteSent } from '../sent.js';
import type { OtherMethods } from '../views.js';

/** The configured methods that need an address, the first one first. */
export function methodsOf(features: Features, firstMethod: FirstMethod | null): FirstMethod[] {
  const all = (['password', 'code', 'link'] as const).filter((method) => features[method]);
  return firstMethod && all.includes(firstMethod)
    ? [firstMethod, ...all.filter((method) => method !== firstMethod)]
    : all;
}

/** The methods for what was typed: a user name has a password, and no mailbox. */
export function methodsFor(email: string, { features, firstMethod }: Visit): FirstMethod[] {
  const all = methodsOf(features, firstMethod);
  const isUsername = features.hasUsernames && features.password !== null && !email.includes('@');
  return isUsername ? ['password'] : all;
}

/** The methods that the page of one of them offers instead. */
export function otherMethodsOf(visit: Visit, current: FirstMethod): FirstMethod[] {
  return methodsFor(visit.flow.email ?? '', visit).filter((method) => method !== current);
}

/** Which of them the last sign-in in this browser began with. Null for another method, and without one. */
export function lastAddressMethod({ req, service }: Visit): FirstMethod | null {
  const last = readLastMethod(service, req) ?? '';
  return (Object.hasOwn(addressMethods, last) && addressMethods[last]) || null;
}

/** By their names in the log. */
const addressMethods: Readonly<Record<string, FirstMethod>> = {
  password_login: 'password',
  password_signup: 'password',
  email_code: 'code',
  magic_link: 'link',
};

/** Begins a method with an address: mails the code or the link, or asks for the password. */
export async function beginWith(
  method: FirstMethod,
  email: string,
  visit: Visit,
  values: URLSearchParams,
): Promise<Next> {
  const { context, features, flow, paths, req, res, service } = visit;
  const input = { email, ...solutionOf(values, visit) };
  const sentCode = method === 'code' ? await features.code?.sendCode(input, context) : undefined;
  let codeFormat = sentCode?.codeFormat;
  if (method === 'link' && features.link) {
    const choice = flow.remember === false ? { remember: false } : {};
    const sent = await features.link.sendLink({ ...input, ...choice }, context);
    rememberLinkBrowser(service, req, res, sent);
    keepLink(flow, sent.url);
    codeFormat = sent.codeFormat;
  }
  visit.keep({ email, codeFormat });
  if (method !== 'password') noteSent(visit, mailedPurposes[method], email);
  return goTo(`${paths.signIn}/${method}`);
}

export const mailedPurposes = { code: 'email_code', link: 'magic_link' } as const;

/** The forms with which the page of a method continues with another one. */
export function otherMethodForms(current: FirstMethod): Record<string, OpenForm> {
  const others = (['password', 'code', 'link'] as const).filter((method) => method !== current);
  return Object.fromEntries(
    others.map((method) => [
      `use-${method}`,
      {
        access: 'open',
        async submit(values, visit) {
          const { email } = visit.flow;
          const isOffered = email !== undefined && otherMethodsOf(visit, current).includes(method);
          return isOffered ? beginWith(method, email, visit, values) : goTo(visit.paths.signIn);
        },
      },
    ]),
  );
}

/** The methods without an address. @param page which of the two pages offers them. */
export function methodsWithoutAddress(visit: Visit, page: 'sign-in' | 'sign-up'): OtherMethods {
  const { features, offers, paths } = visit;
  const isSignIn = page === 'sign-in';
  const hasPasskey = isSignIn && features.hasPasskeySignIn;
  // An invitation to a closed sign-up belongs to an address, and the service takes it with neither of these methods.
  const canCreate = isSignIn || features.isSignUpOpen;
  const hasPhone = features.phone !== null && canCreate;
  const hasAddress = methodsOf(features, null).length > 0;
  const choices = [...offers.providers, hasPasskey, hasPhone, hasAddress].filter(Boolean);
  const last = isSignIn && choices.length > 1 ? (readLastMethod(visit.service, visit.req) ?? '') : '';
  return {
    providers: offers.providers.map(({ id, label, icon, path }) => ({
      ...{ id, label, icon },
      isLastUsed: id === last,
      url: startUrl(visit, `${path}/start`),
      unrememberedUrl:
        isSignIn && visit.rememberMe ? startUrl(visit, `${path}/start`, 'remember=false') : null,
    })),
    hasManyProviders: offers.providers.length >= manyProviders,
    lastUsed: buttonOf(last),
    hasPasskey,
    hasPasskeySignUp: !isSignIn && canCreate && features.passkeySignUp !== null,
    phonePath: hasPhone ? phonePath(paths, isSignIn ? undefined : 'sign-up') : null,
  };
}

/** @param from the page that leads to it, if not that of the sign-in. */
export function phonePath({ signIn }: Visit['paths'], from: Visit['flow']['from']): string {
  return `${signIn}/phone${from === undefined ? '' : `?from=${from}`}`;
}

const manyProviders = 4;

/** The button of a method, by its name in the log. */
function buttonOf(method: string): OtherMethods['lastUsed'] {
  if (Object.hasOwn(addressMethods, method)) return 'address';
  if (method === 'passkey' || method === 'passkey_signup') return 'passkey';
  return method === 'phone_code' ? 'phone' : null;
}

/** The routes limit the `state` to this length, in characters. */
const maxState = 512;

/** What travels with a sign-in at a provider, so that two tabs do not mix their pages to arrive at: a long one is only named, and is in the cookie. */
export function stateOf(next: string): string {
  return next.length <= maxState ? next : sha256(next).slice(0, 22);
}

/** Starts a sign-in at an identity provider that returns to this tab. */
export function startUrl({ authPath, flow, homeUrl }: Visit, path: string, choice = ''): string {
  const state = `state=${encodeURIComponent(stateOf(flow.next ?? homeUrl))}`;
  return `${authPath}${path}?${choice === '' ? state : `${state}&${choice}`}`;
}
