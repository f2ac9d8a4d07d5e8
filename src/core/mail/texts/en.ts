/** English: the sentences of mails and text messages. */

export interface MailedApp {
  /** The name of the product. */
  app: string;
}
export interface MailedCode extends MailedApp {
  /** A one-time code: digits, or ten letters. */
  code: string;
}
export interface MailedPhone extends MailedApp {
  /** A phone number, of which most digits are hidden. */
  phone: string;
}
export interface MailedProvider extends MailedApp {
  /** The name of an identity provider. */
  about: string;
}

export const en = {
  /** The direction of the script: `ltr` or `rtl`. */
  direction: 'ltr' as 'ltr' | 'rtl',
  /** What stands between two sentences: a space, or nothing in Chinese and Japanese. */
  betweenSentences: ' ',
  /** `inTime` is a phrase such as “in 10 minutes”, by `Intl.RelativeTimeFormat`. */
  expires: (inTime: string) => `It expires ${inTime}.`,
  bothExpire: (inTime: string) => `Both expire ${inTime}.`,
  linkAndCodeExpire: (link: string, code: string) => `The link expires ${link} and the code ${code}.`,
  oneIsEnough: 'You need only one of them.',
  ignore: 'If you didn’t request this, you can ignore this email.',
  keepSecret: 'Don’t share this code with anyone.',
  notYouContactSupport: 'If this wasn’t you, contact support.',
  notYouIgnore: 'If this wasn’t you, you can ignore this email.',
  /** Below a button. Its address follows. */
  buttonFails: 'If the button doesn’t work, open this link:',
  /** Below a mail. `brand.supportUrl` follows. */
  help: 'Need help?',
  /** Why the reader gets a mail: in small print at its end. */
  because: {
    signIn: ({ app }: MailedApp) =>
      `You received this email because someone asked to sign in to ${app} with this email address.`,
    address: ({ app }: MailedApp) =>
      `You received this email because someone entered this email address on ${app}.`,
    account: ({ app }: MailedApp) => `You received this email because you have an account on ${app}.`,
    reset: ({ app }: MailedApp) =>
      `You received this email because someone asked for a new password for your ${app} account.`,
    invite: ({ app }: MailedApp) => `You received this email because someone invited you to ${app}.`,
  },
  /** When, with which device and from where an account was changed. The values follow their labels. */
  event: {
    time: 'Time:',
    device: 'Device:',
    place: 'Location:',
    on: (client: string, system: string) => `${client} on ${system}`,
  },
  signInCode: {
    subject: ({ app, code }: MailedCode) => `${code} is your sign-in code for ${app}`,
    lead: ({ app }: MailedApp) => `Enter this code to sign in to ${app}:`,
  },
  verification: {
    subject: ({ app, code }: MailedCode) => `${code} is your verification code for ${app}`,
    lead: ({ app }: MailedApp) => `Enter this code in ${app} to verify your email address:`,
  },
  /** To the owner of an address with which someone has signed up. */
  existingAccount: {
    subject: ({ app }: MailedApp) => `You already have an account on ${app}`,
    lead: ({ app }: MailedApp) =>
      `Someone signed up for ${app} with this email address, which already has an account. If this was you, enter this code to sign in to it. Your password has not changed.`,
    ignore: 'If this wasn’t you, ignore this email, and don’t share this code with anyone.',
  },
  secondFactor: {
    subject: ({ app, code }: MailedCode) => `${code} is your two-factor code for ${app}`,
    lead: ({ app }: MailedApp) => `Enter this code to finish signing in to ${app}:`,
    ignore:
      'If this wasn’t you, don’t share this code with anyone. Someone may know your password: change it.',
  },
  recoveryCodesLow: {
    subject: ({ app }: MailedApp) => `You have two recovery codes left for ${app}`,
    lead: ({ app }: MailedApp) =>
      `A recovery code was used to sign in to your ${app} account. Two are left. Create new ones in your account before you need them.`,
    ignore: 'If this wasn’t you, sign out of all devices and create new recovery codes.',
  },
  /** To the new address of an account. */
  newAddress: {
    subject: ({ app, code }: MailedCode) => `${code} is the code for your new email address on ${app}`,
    lead: ({ app }: MailedApp) => `Enter this code in ${app} to change your account to this email address:`,
  },
  /** To the current address of an account. */
  leavingAddress: {
    subject: ({ app }: MailedApp) => `Confirm your email change on ${app}`,
    lead: ({ app }: MailedApp) =>
      `Enter this code in ${app} to move your account from this email address to the new one:`,
    ignore:
      'If this wasn’t you, don’t share this code with anyone. Another person is signed in to your account: sign out of all devices.',
  },
  /** To an address that another account was to get. */
  addressInUse: {
    subject: ({ app }: MailedApp) => `You already have an account on ${app}`,
    lead: ({ app }: MailedApp) =>
      `Someone tried to use this email address for another account on ${app}. It already has an account, so nothing was changed. Sign in with this email address, or choose a different one for the other account.`,
  },
  addressChanged: {
    subject: ({ app }: MailedApp) => `The email address of your ${app} account was changed`,
    lead: ({ app }: MailedApp) =>
      `The email address of your ${app} account was changed. You can no longer sign in with this one, and your other devices were signed out.`,
  },
  passwordChanged: {
    subject: ({ app }: MailedApp) => `The password of your ${app} account was changed`,
    lead: ({ app }: MailedApp) =>
      `The password of your ${app} account was changed, and your other devices were signed out.`,
  },
  phoneAdded: {
    subject: ({ app }: MailedApp) => `A phone number was added to your ${app} account`,
    lead: ({ app, phone }: MailedPhone) =>
      `The phone number ${phone} was added to your ${app} account. You can sign in with it.`,
  },
  phoneRemoved: {
    subject: ({ app }: MailedApp) => `A phone number was removed from your ${app} account`,
    lead: ({ app, phone }: MailedPhone) =>
      `The phone number ${phone} was removed from your ${app} account. You can no longer sign in with it.`,
  },
  /** Subjects of notices, and their first sentences with `endOfSentence`. `about` is the name of an identity provider. */
  changes: {
    endOfSentence: '.',
    passwordAdded: ({ app }: MailedApp) => `A password was added to your ${app} account`,
    passwordReset: ({ app }: MailedApp) => `The password of your ${app} account was reset`,
    passwordSet: ({ app }: MailedApp) => `An administrator changed the password of your ${app} account`,
    passkeyAdded: ({ app }: MailedApp) => `A passkey was added to your ${app} account`,
    passkeyRemoved: ({ app }: MailedApp) => `A passkey was removed from your ${app} account`,
    twoFactorEnabled: ({ app }: MailedApp) =>
      `Two-factor authentication was turned on for your ${app} account`,
    twoFactorDisabled: ({ app }: MailedApp) =>
      `Two-factor authentication was turned off for your ${app} account`,
    appAdded: ({ app }: MailedApp) => `An authenticator app was added to your ${app} account`,
    appRemoved: ({ app }: MailedApp) => `An authenticator app was removed from your ${app} account`,
    recoveryCodesReplaced: ({ app }: MailedApp) => `New recovery codes were created for your ${app} account`,
    emailCodesEnabled: ({ app }: MailedApp) =>
      `Two-factor codes by email were turned on for your ${app} account`,
    emailCodesDisabled: ({ app }: MailedApp) =>
      `Two-factor codes by email were turned off for your ${app} account`,
    identityLinked: ({ app, about }: MailedProvider) => `${about} was linked to your ${app} account`,
    identityUnlinked: ({ app, about }: MailedProvider) => `${about} was removed from your ${app} account`,
    usernameChanged: ({ app }: MailedApp) => `The user name of your ${app} account was changed`,
    addressChanged: ({ app }: MailedApp) => `Your ${app} account now uses this email address`,
    apiKeyCreated: ({ app }: MailedApp) => `An API key was created for your ${app} account`,
    browserTrusted: ({ app }: MailedApp) => `A trusted browser was added to your ${app} account`,
    newSignIn: ({ app }: MailedApp) => `New sign-in to your ${app} account`,
    newSignInLead: ({ app }: MailedApp) => `Your ${app} account was used on a new device.`,
  },
  /** The link of a notice and its pages. `email` is masked. */
  notMe: {
    advice: 'If this wasn’t you, sign out all devices with this link. It works once, for seven days.',
    button: 'This wasn’t me',
    /** The page that asks before the link is used. */
    title: ({ app }: MailedApp) => `Secure your ${app} account`,
    lead: (email: string) => `This signs out every device that is signed in as ${email}.`,
    submit: 'Sign out all devices',
    ignore: 'If you recognize the activity, close this page.',
    /** The page after it. */
    doneTitle: 'All devices are signed out',
    doneReset: (email: string) => `We sent an email to ${email}. Open it to choose a new password.`,
    doneSignIn: 'Sign in again, and remove anything that you don’t recognize from your account.',
    doneAddressChanged: 'This email address no longer belongs to the account. Contact support to recover it.',
    endedTitle: 'This link no longer works',
    ended: 'It has expired or has already been used. If you need help, contact support.',
  },
  magicLink: {
    subject: ({ app }: MailedApp) => `Sign in to ${app}`,
    lead: ({ app }: MailedApp) => `Open this link to sign in to ${app}. It works once.`,
    /** In a mail that also has a code. */
    leadWithCode: ({ app }: MailedApp) => `Open this link to sign in to ${app}:`,
    orCode: 'Or enter this code on the sign-in page:',
    button: 'Sign in',
  },
  /** The page that asks before a link signs in, in another browser than the one that asked for it. */
  linkConfirmation: {
    title: ({ app }: MailedApp) => `Sign in to ${app}`,
    /** `email` is masked, and is written in bold. */
    lead: (email: string) => `You are signing in as ${email}.`,
    submit: 'Sign in',
    ignore: 'If you didn’t request this, close this page.',
  },
  passwordReset: {
    subject: ({ app }: MailedApp) => `Choose a new password for ${app}`,
    lead: ({ app }: MailedApp) => `Open this link to choose a new password for ${app}. It works once.`,
    leadWithCode: ({ app }: MailedApp) => `Enter this code in ${app} to choose a new password:`,
    leadWithBoth: ({ app }: MailedApp) =>
      `Use this link or the code below to choose a new password for ${app}.`,
    button: 'Choose a new password',
  },
  userInvite: {
    subject: ({ app }: MailedApp) => `You’re invited to ${app}`,
    lead: ({ app }: MailedApp) =>
      `You have been invited to ${app}. Open this link to set up your account. It works once.`,
    button: 'Accept invitation',
    ignore: 'If you don’t want an account, you can ignore this email.',
  },
  /** To an address without an account that may not sign up. */
  signUpRefused: {
    subject: ({ app }: MailedApp) => `You can’t sign up for ${app} with this email address`,
    lead: ({ app }: MailedApp) =>
      `Someone tried to sign in to ${app} with this email address. It has no account, and new accounts are not available for it. If you have an account, sign in with its email address.`,
  },
  orgInvite: {
    subject: ({ app }: MailedApp) => `You’re invited to an organization on ${app}`,
    lead: ({ app }: MailedApp) => `Open this link to join an organization on ${app}. It works once.`,
    button: 'Accept invitation',
    ignore: 'If you don’t want to join, you can ignore this email.',
  },
  textMessage: {
    code: ({ app, code }: MailedCode) => `${code} is your code for ${app}.`,
  },
};

type English = typeof en;

/** The sentences of mails and text messages in one language. */
// An interface has a name in declarations; a type would be repeated wherever it is used.
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- see above
export interface MailTexts extends English {}
