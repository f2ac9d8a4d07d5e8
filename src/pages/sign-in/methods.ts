/** The methods of a sign-in, in the order in which the pages offer them. What comes next never depends on whether an account exists. */
import { rememberLinkBrowser } from '../../http/link-browser.js';
import type { Features } from '../features.js';
import type { FirstMethod } from '../options.js';
import { goTo, type Next, type Visit } from '../page.js';

/** The configured methods that need an address, the first one first. */
export function methodsOf(features: Features, firstMethod: FirstMethod | null): FirstMethod[] {
  const all = (['password', 'code', 'link'] as const).filter((method) => features[method]);
  return firstMethod && all.includes(firstMethod)
    ? [firstMethod, ...all.filter((method) => method !== firstMethod)]
    : all;
}

/** Begins a method with an address: mails the code or the link, or asks for the password. */
export async function beginWith(method: FirstMethod, email: string, visit: Visit): Promise<Next> {
  const { context, features, paths, req, res, service } = visit;
  if (method === 'code') await features.code?.sendCode({ email }, context);
  if (method === 'link' && features.link) {
    const sent = await features.link.sendLink({ email }, context);
    rememberLinkBrowser(service, req, res, sent);
  }
  visit.keep({ email });
  return goTo(`${paths.signIn}/${method}`);
}
