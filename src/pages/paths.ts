/** Where the pages are. */

export interface Paths {
  signIn: string;
  signUp: string;
  twoFactor: string;
  reset: string;
  verify: string;
  join: string;
  account: string;
}

export const defaultPaths: Paths = {
  signIn: '/sign-in',
  signUp: '/sign-up',
  twoFactor: '/two-factor',
  reset: '/reset',
  verify: '/verify',
  join: '/join',
  account: '/account',
};
