/** English: the pages for refused requests, and what a form says about a refused change. */
import type { Html, Value } from '../../html/html.js';

const plural = new Intl.PluralRules('en');

export const enErrors = {
  toUsers: 'Back to users',
  toUser: 'Back to the user',
  signIn: 'Sign in',
  signInAgain: 'Sign in again',
  signOut: 'Sign out',
  signedInAs: (who: Html): Value => ['You’re signed in as ', who, '.'],
  pages: {
    failed: { title: 'Something went wrong', text: 'The page could not be shown. Try again in a moment.' },
    notFound: { title: 'Page not found', text: 'There is no page at this address.' },
    formExpired: {
      title: 'This form has expired',
      text: 'You have signed in again since this form was opened. Nothing was changed. Open it again.',
    },
    noAccess: { title: 'No access', text: 'Your account does not have permission for this.' },
    signIn: { title: 'Sign in', text: 'Sign in as an administrator, then open this page again.' },
    confirm: { title: 'Confirm it’s you', text: 'For your security, sign in again to make changes.' },
    userNotFound: {
      title: 'User not found',
      text: 'There is no user with this id. The user may have been deleted.',
    },
    invalid: { title: 'Invalid request', text: 'The address of this page or its form is invalid.' },
    notConfigured: { title: 'Not available', text: 'The application is not configured for this.' },
    license: { title: 'Not available', text: 'This feature requires a license.' },
    storage: { title: 'Not available', text: 'The storage adapter does not support this feature.' },
  },
  emailExists: 'Another user has this address.',
  weakPassword: 'This password is too short, too common, or contains the address. Choose another one.',
  email: 'Enter an email address, such as ada@example.com.',
  emailMissing: 'Enter an email address. This change requires one.',
  name: 'Enter a name of at most 100 characters on one line.',
  nameAddress: 'A name cannot contain an email address or a link.',
  nameReserved: 'This name is reserved. Choose another one.',
  pictureSource: 'Pictures from this address are not allowed.',
  usernameTaken: 'Another user has this username.',
  usernameInvalid:
    'Use 1 to 32 letters and digits of one script, with single dots, hyphens or underscores between them.',
  usernameReserved: 'This username is reserved. Choose another one.',
  guest: 'A guest gets an address by signing up.',
  outdated:
    'The user has changed since this page was opened. Compare your change with the current values, then save again.',
  lastMethod: 'The user could no longer sign in without this.',
  metadata: 'The metadata must be a JSON object of at most 8 KB and 8 levels, without reserved keys.',
  metadataObject: (example: string) => `The metadata must be a JSON object: ${example}, for example.`,
  metadataSyntax: (line: number, column: number) =>
    `This is not valid JSON. Check line ${line}, column ${column}.`,
  roles:
    'Enter at most 20 roles of 1 to 64 lower-case letters, digits, or . _ : - with a letter or a digit at both ends.',
  role: 'Enter a role as it is given to users, such as support.',
  filters: 'These conditions are invalid. Clear the filters.',
  userId: 'Enter the id of a user.',
  redirect:
    'Enter one to twenty addresses, each on a line: all with https, or all of an app, with its own scheme or http for this computer.',
  uri: 'Enter an address, such as https://partner.example/.',
  secretUnused: 'The client uses no secret: register a confidential one.',
  secretLimit: 'The client has two secrets. Remove one of them first.',
  secretLast: 'This is the only secret of the client. Add another one first.',
  until: 'Enter a time in the future.',
  untilMissing: 'Enter the date and the time.',
  untilUnused: 'Choose “Until a date”, or clear the end of the block.',
  duration: 'Choose a duration.',
  reason: 'The reason must be at most 500 characters long.',
  passwordMissing: 'Enter a password.',
  phrase: 'The text doesn’t match.',
  incomplete: 'The form is incomplete. Open it again.',
  lastOwner: 'The last owner of an organization cannot leave it. Make another member an owner first.',
  blocked: 'This user is blocked.',
  notAllowed: 'The application does not allow this for this user.',
  sendFailed: 'The email could not be sent. Try again in a moment.',
  notConfigured: 'The application is not configured for this.',
  invalid: 'The change was refused. Check the form and try again.',
  tooMany: (inMinutes: number) =>
    plural.select(inMinutes) === 'one'
      ? 'Too many attempts. Try again in a minute.'
      : `Too many attempts. Try again in ${inMinutes} minutes.`,
};
