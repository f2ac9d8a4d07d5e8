/** English: the forms that change a user. */
import type { Html, Value } from '../../html/html.js';

export const enActions = {
  ownAccount: 'This is your own account.',
  email: 'Email address',
  verified: 'The address is verified',
  verifiedHint: 'Only if you know that this user reads mail to this address.',
  username: 'Username',
  emptyHint: 'Leave empty for none.',
  roles: 'Roles',
  rolesHint: (example: string) => `Separated by spaces or commas, such as: ${example}.`,
  rolesEmptyHint: (example: string) =>
    `Separated by spaces or commas, such as: ${example}. Leave empty for none.`,
  metadata: 'Metadata',
  metadataJson: 'Metadata (JSON)',
  metadataHint: 'A JSON object of at most 8 KB.',
  reasonLabel: 'Reason',
  signOut: {
    title: 'Sign out everywhere',
    lead: (name: Html): Value => ['Ends every session and token of ', name, '. API keys remain valid.'],
    own: 'This is your own account. You will have to sign in again.',
  },
  impersonate: {
    title: 'Impersonate user',
    lead: (name: Html): Value => [
      'You act as ',
      name,
      ' in the application for up to 15 minutes. To stop, use the button above every page of the account, or open the admin pages again.',
    ],
    reasonHint: 'Recorded with the impersonation, such as the number of a support ticket.',
  },
  delete: {
    title: 'Delete user',
    lead: (name: Html): Value => [
      'Deletes ',
      name,
      ' with all sessions, sign-in methods, API keys and memberships, and the data that your application keeps about this user. This cannot be undone.',
    ],
    confirm: (phrase: string) => `To confirm, type ${phrase}`,
  },
  block: {
    title: 'Block user',
    lead: (name: Html): Value => [
      name,
      ' is signed out everywhere and cannot sign in while blocked. API keys of this user stop working.',
    ],
    own: 'This is your own account. You will be signed out and cannot unblock yourself.',
    reasonHint: 'For administrators. The user never sees it.',
    duration: 'Duration',
    forever: 'Until you unblock the user',
    hour: '1 hour',
    day: '1 day',
    week: '7 days',
    month: '30 days',
    date: 'Until a date',
    until: (zone: Html): Value => ['End of the block (', zone, ')'],
  },
  unblock: {
    title: 'Unblock user',
    lead: (name: Html): Value => [
      name,
      ' can sign in again, and API keys of this user work again. Sessions that the block ended stay ended.',
    ],
  },
  editMetadata: {
    title: 'Edit metadata',
    lead: (name: Html): Value => ['What the application stores about ', name, '.'],
    hint: 'A JSON object of at most 8 KB. It replaces all of the metadata.',
    current: 'Current metadata',
    submit: 'Save metadata',
  },
  name: {
    title: 'Change name',
    titleWithPicture: 'Change name and picture',
    lead: (name: Html): Value => ['What other users see of ', name, '.'],
    name: 'Name',
    picture: 'Link to a picture',
    pictureHint: (sources: string) => `It must begin with ${sources}. Leave empty for none.`,
    submit: 'Save',
  },
  invite: {
    title: 'Invite user',
    lead: 'The user gets a mail with a link that works once, for seven days. Opening it verifies the address.',
    submit: 'Send invitation',
  },
  create: {
    title: 'Create user',
    lead: 'Creates the account at once and sends no mail. To let the user choose a password, invite the user instead.',
    password: 'Password',
  },
  address: {
    add: 'Add email address',
    change: 'Change email address',
    lead: 'A new address ends every session of the user, and cancels what was mailed to the old one.',
    submit: 'Save address',
  },
  verify: {
    title: 'Verify email address',
    lead: (address: Html): Value => [
      'Marks ',
      address,
      ' as verified, without a mail. Do this only if you know that the user reads mail to this address.',
    ],
    submit: 'Verify address',
  },
  changeUsername: { add: 'Add username', change: 'Change username', submit: 'Save username' },
  changeRoles: {
    title: 'Change roles',
    lead: (name: Html): Value => ['The roles of ', name, ' in the application.'],
    own: 'This is your own account. Without your role you may lose access to these pages.',
    submit: 'Save roles',
  },
  password: {
    replace: 'Replace password',
    set: 'Set password',
    lead: (name: Html): Value => ['Signs ', name, ' out everywhere, and cancels pending codes and links.'],
    new: 'New password',
  },
  removals: {
    gone: 'This no longer exists: it has ended already, or belongs to another user.',
    user: 'User',
    session: {
      title: 'Sign out device',
      term: 'Session',
      effect: 'The device is signed out at its next request.',
    },
    token: { title: 'Revoke app token', term: 'App', effect: 'The app is signed out at its next request.' },
    account: {
      title: 'Unlink account',
      term: 'Account',
      effect: 'The user can no longer sign in with it.',
    },
    passkey: {
      title: 'Remove passkey',
      term: 'Passkey',
      effect: 'The user can no longer sign in with it.',
    },
    app: {
      title: 'Remove authenticator app',
      term: 'Second factor',
      effect:
        'The user signs in without a second factor and is signed out everywhere. Recovery codes are removed too.',
    },
    organization: {
      title: 'Remove from organization',
      term: 'Organization',
      effect: 'The user loses access to the organization. The user can be invited again.',
    },
    key: {
      title: 'Revoke API key',
      term: 'API key',
      effect: 'Programs that use this key are refused at once. This cannot be undone.',
    },
  },
};
