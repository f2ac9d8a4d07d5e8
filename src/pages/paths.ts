/** Where the pages are. */
import { isTarget } from '../http/redirects.js';

export interface Paths {
  signIn: string;
  signUp: string;
  twoFactor: string;
  reset: string;
  verify: string;
  join: string;
  consent: string;
  device: string;
  account: string;
}

export const defaultPaths: Paths = {
  signIn: '/sign-in',
  signUp: '/sign-up',
  twoFactor: '/two-factor',
  reset: '/reset',
  verify: '/verify',
  join: '/join',
  consent: '/consent',
  device: '/device',
  account: '/account',
};

/** Returns whether a value is a path of this site. A form may not lead to another site (`form-action` of the policy). */
export function isPath(value: unknown): value is string {
  return isTarget(value) && value.startsWith('/');
}
