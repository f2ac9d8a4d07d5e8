/** English: what is done with many users at once, lockdowns, and a user's sign-ins. */
import type { Html, Value } from '../../html/html.js';

const plural = new Intl.PluralRules('en');

export const enOperations = {
  within: 'Search inside words',
  withinHint: 'Also finds the middle of an address or a username. Enter at least three characters.',
  withinRefused:
    'Enter at least three characters to search inside words. With very many users, the database needs an index for it.',
  bulk: {
    /** The label of a check box in the row of a user. */
    select: (name: string) => `Select ${name}`,
    selected: 'Selected users',
    none: 'Select users first',
    noneLead: 'Go back and check the boxes of up to 100 users.',
    blockTitle: 'Block users',
    /** @param shown the number as text. */
    blockLead: (n: number, shown: string) =>
      plural.select(n) === 'one'
        ? 'This user is signed out everywhere and cannot sign in while blocked.'
        : `These ${shown} users are signed out everywhere and cannot sign in while blocked.`,
    signOutTitle: 'Sign out users',
    signOutLead: (n: number, shown: string) =>
      plural.select(n) === 'one'
        ? 'Ends every session and token of this user. API keys remain valid.'
        : `Ends every session and token of these ${shown} users. API keys remain valid.`,
    skipped: 'Your own account is left out.',
    result: 'Result',
    changed: (n: number, shown: string, total: string) =>
      plural.select(n) === 'one'
        ? `${shown} user of ${total} changed.`
        : `${shown} users of ${total} changed.`,
    outcomes: {
      blocked: 'Blocked',
      signedOut: 'Signed out',
      already: 'Was blocked already',
      self: 'Your own account: nothing was changed',
      notAllowed: 'Not allowed',
      notFound: 'Not found',
      failed: 'Failed: try again',
    },
  },
  inviteList: {
    link: 'Invite a list',
    title: 'Invite a list of users',
    lead: 'Each address gets a mail with a link that works once, for seven days. No address gets two.',
    addresses: 'Email addresses',
    addressesHint: 'Up to 200, each on a line, or lines of a CSV file.',
    missing: 'Enter at least one email address.',
    tooMany: 'Enter at most 200 lines.',
    submit: 'Send invitations',
    line: 'Line',
    invited: (n: number, shown: string) =>
      plural.select(n) === 'one' ? `${shown} invitation sent.` : `${shown} invitations sent.`,
    outcomes: {
      invited: 'Invitation sent',
      exists: 'Has an account already, or an invitation',
      repeated: 'Is in the list twice',
      invalid: 'Not an email address',
      failed: 'Failed: try again',
    },
  },
  lockdown: {
    title: 'Lockdown',
    lead: 'Ends every session and token at once, in every process. Use it if you suspect that sessions were stolen.',
    whom: 'Whose sessions',
    user: 'A user',
    organization: 'The members of an organization',
    everyone: 'Everyone, including you',
    id: 'Id of the user or the organization',
    idMissing: 'Enter the id of a user or an organization.',
    noId: 'Leave this empty, or choose a user or an organization.',
    notFound: 'There is no user or organization with this id.',
    apiKeys: 'Also revoke API keys',
    apiKeysHint: 'Programs that use them stop working. This cannot be undone.',
    submit: 'End sessions',
    done: 'Sessions ended',
    doneEveryone: 'Every session of every user has ended.',
    doneUsers: (n: number, shown: string) =>
      plural.select(n) === 'one'
        ? `Every session of ${shown} user has ended.`
        : `Every session of ${shown} users has ended.`,
    own: 'Your own session has ended too: sign in again.',
    maybeOwn: 'If you are a member, you have to sign in again.',
  },
  signIns: {
    title: 'Sign-ins',
    none: 'No sign-ins have been recorded.',
    signedIn: 'Signed in',
    failed: (reason: Html): Value => ['Failed: ', reason],
    impersonated: 'Impersonated by an administrator',
    all: 'Show in the audit log',
  },
};
