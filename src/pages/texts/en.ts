/** English. */
import type { Html, Value } from '../../html/html.js';
import { enAccount } from './en-account.js';
import { enNotices } from './en-notices.js';

const plural = new Intl.PluralRules('en');

export const en = {
  /** The direction of the script: `ltr` or `rtl`. */
  direction: 'ltr' as 'ltr' | 'rtl',
  skip: 'Skip to content',
  language: 'Language',
  email: 'Email address',
  emailOrUsername: 'Email address or username',
  username: 'Username',
  phone: 'Phone number',
  country: 'Country or region',
  password: 'Password',
  newPassword: 'New password',
  /** @param minLength the configured one. */
  passwordHint: (minLength: number) =>
    `At least ${minLength} ${plural.select(minLength) === 'one' ? 'character' : 'characters'}. Several words make a strong password.`,
  showPassword: 'Show',
  hidePassword: 'Hide',
  remember: 'Keep me signed in on this device',
  code: 'Code',
  codeLetters: 'The code has ten letters. Capitals don’t matter.',
  continue: 'Continue',
  back: 'Back',
  or: 'or',
  optional: 'optional',
  error: 'Error',
  /** Marks the method of the last sign-in in this browser. */
  lastUsed: 'Last used',
  continueWith: (provider: string) => `Continue with ${provider}`,
  notices: enNotices,
  signIn: {
    title: (product: string) => `Sign in to ${product}`,
    submit: 'Sign in',
    passkey: 'Sign in with a passkey',
    newHere: (product: string, link: (label: string) => Html): Value => [
      `New to ${product}? `,
      link('Create an account'),
    ],
    change: 'Change',
    forgot: 'Forgot your password?',
    emailCode: 'Email me a code instead',
    emailLink: 'Email me a link instead',
    usePassword: 'Use your password instead',
    phone: 'Continue with phone',
    canceled: (provider: string) => `Sign-in with ${provider} was canceled.`,
    /** For a guest. */
    guest: 'If you sign in to an existing account, what you’ve done as a guest isn’t moved to it.',
  },
  checkEmail: {
    title: 'Check your email',
    code: (email: Html): Value => [
      'We’ve sent a code to ',
      email,
      '. It may take a minute to arrive. Check your spam folder if you don’t see it.',
    ],
    link: (email: Html): Value => [
      'We’ve sent a link to ',
      email,
      '. Open it in this browser to continue. Check your spam folder if you don’t see it.',
    ],
    linkAndCode: (email: Html): Value => [
      'We’ve sent a link and a code to ',
      email,
      '. Open the link, or enter the code here. Check your spam folder if you don’t see it.',
    ],
    resend: 'Resend',
    resendIn: (seconds: string) => `Resend in ${seconds} s`,
    otherAddress: 'Use another address',
    /** A link to the web mail of the address, such as Gmail. */
    open: (webMail: string) => `Open ${webMail}`,
    waiting: 'This page continues when you open the link.',
  },
  checkPhone: {
    title: 'Check your phone',
    code: (phone: Html): Value => ['We’ve sent a code to ', phone, '. It may take a minute to arrive.'],
    otherNumber: 'Use another number',
  },
  signUp: {
    title: 'Create your account',
    submit: 'Create account',
    guest: 'Create an account to keep what you’ve done as a guest.',
    passkey: 'Sign up with a passkey',
    passkeyLead:
      'A passkey replaces the password. You unlock it with your fingerprint, your face or the PIN of your device.',
    createPasskey: 'Create passkey',
    haveAccount: (link: (label: string) => Html): Value => ['Already have an account? ', link('Sign in')],
    /** The application’s own fields. */
    fields: {
      /** The step that asks for them after a code, a link or an identity provider. */
      title: 'One last step',
      lead: 'We need a few details to create your account.',
      choose: 'Choose an option',
      missing: {
        text: 'Fill in this field.',
        choice: 'Choose an option.',
        box: 'Check this box to continue.',
      },
      short: 'This is too short.',
      long: 'This is too long.',
      number: 'Enter a number.',
      min: (least: number) => `Enter ${least} or more.`,
      max: (most: number) => `Enter ${most} or less.`,
      invalid: 'This can’t be used. Check it and try again.',
    },
  },
  twoFactor: {
    title: 'Two-factor authentication',
    app: 'Enter the code from your authenticator app.',
    useRecovery: 'Use a recovery code',
    recovery: 'Enter one of your recovery codes. Each works once.',
    recoveryCode: 'Recovery code',
    useApp: 'Use your authenticator app',
    useEmail: 'Email me a code instead',
    usePasskey: 'Use your passkey',
    passkey: 'Confirm that it’s you with your passkey.',
    confirmPasskey: 'Continue with passkey',
    emailFirst: 'We’ll send a code to your email address.',
    sendEmail: 'Send code',
    email: 'We’ve sent a code to your email address. Enter it here.',
    trust: (days: number) =>
      plural.select(days) === 'one'
        ? 'Trust this browser for one day'
        : `Trust this browser for ${days} days`,
    restart: 'Start again',
  },
  reset: {
    title: 'Reset your password',
    lead: 'Enter your email address. We’ll send you a link to choose a new password.',
    /** If the mail contains a code, and perhaps a link too. */
    leadCode: 'Enter your email address. We’ll send you a code to choose a new password.',
    submit: 'Send link',
    sent: (email: Html): Value => [
      'If ',
      email,
      ' has an account, we’ve sent a link to choose a new password. Check your spam folder if you don’t see it.',
    ],
    sentCode: (email: Html): Value => [
      'If ',
      email,
      ' has an account, we’ve sent a code. Enter it with a new password. Check your spam folder if you don’t see it.',
    ],
    choose: 'Choose a new password',
    save: 'Save password',
    again: 'Request a new link',
    done: 'Password changed',
    doneLead: 'You’re signed out everywhere. Sign in with the new password.',
    /** For a user whose account has never had one: an administrator has invited the user. */
    first: {
      choose: 'Choose a password',
      done: 'Password saved',
      doneLead: 'Your account is ready. Sign in with your password.',
    },
  },
  verify: {
    lead: (email: Html): Value => [
      'We’ve sent a code to ',
      email,
      '. Enter it to verify your address. Check your spam folder if you don’t see it.',
    ],
    later: 'Not now',
  },
  join: {
    title: (organization: string) => `Join ${organization}`,
    /** @param inviter null if it is unknown. */
    lead: (role: 'owner' | 'admin' | 'member', organization: Html, inviter: Html | null): Value => [
      ...(inviter ? [inviter, ' invited you'] : ['You’ve been invited']),
      ' to join ',
      organization,
      ` as ${{ owner: 'an owner', admin: 'an admin', member: 'a member' }[role]}.`,
    ],
    /** The address to which the invitation was sent, if the reader may be another person. */
    to: (email: Html): Value => ['The invitation is for ', email, '.'],
    accept: 'Accept invitation',
    decline: 'Decline',
    declined: 'Invitation declined',
    declinedLead: 'If you change your mind, ask for a new invitation.',
    /** Also for a member who opens the link again. */
    joined: (organization: string) => `You joined ${organization}`,
    openOrganization: 'View organization',
    ended: {
      used: {
        title: 'This invitation has already been accepted',
        lead: 'If you accepted it with another account, sign in with that one.',
      },
      expired: { title: 'This invitation has expired', lead: 'Ask for a new invitation.' },
      withdrawn: {
        title: 'This invitation is no longer valid',
        lead: 'It was withdrawn, or replaced by a newer one. Look for a newer one in your email, or ask for a new invitation.',
      },
    },
    signIn: 'Sign in to accept',
    notYours: (current: Html): Value => [
      'You’re signed in as ',
      current,
      '. This invitation is for another address.',
    ],
    change: 'Use another account',
  },
  consent: {
    title: (client: string) => `Allow ${client} to use your account?`,
    lead: (client: Html): Value => [client, ' asks for permission to:'],
    account: (email: Html): Value => ['You’re signed in as ', email, '.'],
    returns: (host: Html): Value => ['Then you’ll return to ', host, '.'],
    local: 'The request comes from an app on this device. Continue only if you’ve just started it yourself.',
    allow: 'Allow',
    deny: 'Don’t allow',
    change: 'Use another account',
    leaving: (client: string) => `Returning to ${client} …`,
    scopes: { openid: 'Sign you in', profile: 'See your name and picture', email: 'See your email address' },
    refused: {
      sends: (host: Html): Value => ['The app asked to send you to ', host, '.'],
      code: (code: Html): Value => ['Error code: ', code],
    },
    ended: {
      title: 'This request has ended',
      lead: 'Go back to the app that sent you here, and start again.',
    },
  },
  device: {
    title: 'Connect a device',
    lead: 'Enter the code that your device or app shows.',
    unknown: 'This code isn’t valid. Check it, or start again on your device.',
    compare: (code: Html): Value => ['Check that your device shows ', code, '.'],
    warning:
      'Only continue if you started this yourself, on a device in front of you. No one else should send you a code.',
    allowed: { title: 'Device connected', lead: 'You can close this page and return to your device.' },
    denied: {
      title: 'Access denied',
      lead: 'The device has no access to your account. You can close this page.',
    },
  },
  challenge: {
    title: 'One more check',
    lead: 'Many requests came from your network. Confirm that you’re not a robot.',
    solving: 'Checking your browser. This takes a few seconds.',
    needsScript:
      'Many requests came from your network. Your browser has to solve a small task before it can continue, which needs JavaScript. Turn JavaScript on, or try again later.',
  },
  account: enAccount,
  errors: {
    email: 'Enter an email address, such as ada@example.com.',
    emailMissing: 'Enter your email address.',
    emailOrUsernameMissing: 'Enter your email address or username.',
    phone: 'This phone number isn’t valid. Check the country and the number.',
    phoneCountry: 'Phone numbers from this country aren’t supported. Use another number.',
    passwordMissing: 'Enter your password.',
    codeMissing: 'Enter the code.',
    passwordCode:
      'There were too many wrong passwords for this account. We’ve sent a code to its email address. Enter your password again, and the code.',
    credentials: 'The email address or password is wrong.',
    credentialsOrUsername: 'The email address, username or password is wrong.',
    passwordRefused: 'This password can’t be used. Choose another one.',
    passwordShort: 'This password is too short. Choose a longer one.',
    passwordLong: 'This password is too long. Choose a shorter one.',
    passwordCommon: 'Many people use this password. Choose another one.',
    passwordBreached: 'This password has appeared in a data breach. Choose another one.',
    passwordNames:
      'This password contains your address, your username or the name of this product. Choose another one.',
    emailExists: 'This address already has an account. Sign in instead.',
    codeWrong: 'This code is wrong. Check it and try again.',
    codeExpired: 'This code has expired. Request a new one.',
    tooManyCodes: 'Too many wrong codes. Request a new one.',
    linkInvalid: 'This link is no longer valid. Request a new one.',
    usernameTaken: 'This username is taken. Choose another one.',
    usernameInvalid:
      'Use 1 to 32 letters and digits of one script, with single dots, hyphens or underscores between them.',
    signUpDisabled: 'New accounts can’t be created here. If you have an account, sign in.',
    signUpExpired: 'The sign-up took too long. Sign in again to continue.',
    signInExpired: 'The sign-in took too long. Sign in again to continue.',
    blocked: 'This account is blocked. Contact support.',
    challenge: 'Too many requests came from your network. Try again later.',
    challengeFailed: 'The check wasn’t completed. Try again.',
    passkey: 'The passkey couldn’t be used. Try again, or use another method.',
    passkeyNeedsScript: 'Passkeys need JavaScript. Turn JavaScript on, or use another method.',
    smsFailed: 'The text message couldn’t be sent. Try again in a moment.',
    sendFailed: 'The email couldn’t be sent. Try again in a moment.',
    provider: 'The sign-in wasn’t completed. Try again.',
    formExpired: 'This page has expired. Send the form again.',
    invalid: 'Check the form and try again.',
    tooMany: (inMinutes: number) =>
      plural.select(inMinutes) === 'one'
        ? 'Too many attempts. Try again in a minute.'
        : `Too many attempts. Try again in ${inMinutes} minutes.`,
    failedTitle: 'Something went wrong',
    failed: 'The page couldn’t be shown. Try again in a moment.',
  },
};
