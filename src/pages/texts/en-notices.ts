/** English: what has happened in the meantime, and how it continues. */
import type { Html, Value } from '../../html/html.js';

export const enNotices = {
  sessionEnded: 'Your session has ended. Sign in to continue.',
  signedOut: 'You’ve been signed out.',
  /** On the page to which a user returns, with what was typed before the session ended. */
  signedInAgain: 'You’re signed in again. Nothing has been saved yet.',
  otherAccount: (name: string) => `You’re now signed in as ${name}. Nothing was changed.`,
  /** If the account has neither an address nor a username. */
  otherAccountUnnamed: 'You’re now signed in to another account. Nothing was changed.',
  linkExpired: 'This link has expired. Request a new one.',
  /** After the first proof of an address, which has removed what was set before (docs/decisions/account-reclaim.md). */
  reclaimed: {
    title: 'Email address confirmed',
    lead: 'Your address hadn’t been confirmed before, so anyone could have set up this account. Its password and other ways to sign in were removed.',
  },
  /** The title of the sign-up. */
  invitedOnly: 'Sign-up is by invitation only',
  invitedOnlyLead: 'To create an account, open the link in your invitation.',
  /** The title of the page for a blocked user. */
  blocked: 'You can’t sign in',
  support: 'Contact support',
  home: (product: string) => `Back to ${product}`,
  offline: 'You’re offline. Check your connection, then try again.',
  unreachable: 'The server can’t be reached. Try again in a moment.',
  slow: 'This is taking longer than usual.',
  /** An administrator acts as a user. */
  impersonating: (product: string, user: Html): Value => [`You’re viewing ${product} as `, user, '.'],
  impersonatingUnnamed: (product: string) => `You’re viewing ${product} as another user.`,
  stopImpersonating: 'Stop',
  /** Before a mailed link signs in, in another browser than the one that asked for it. The address is masked. */
  confirmLink: (email: Html): Value => ['You’re signing in as ', email, '.'],
  confirmLinkIgnore: 'If you didn’t request this, close this page.',
  confirmLinkOther: 'Sign in another way',
};
