/** Every page of the account. A fixed path stands before one with a parameter. */
import { activityPage } from './activity.js';
import { confirmPages } from './confirm/confirm.js';
import { connectedAppPages } from './connected-apps.js';
import { dataPages } from './data.js';
import { devicePages } from './devices.js';
import { impersonationPage } from './impersonation.js';
import { organizationPages } from './organizations/organizations.js';
import type { AccountPage } from './page.js';
import { emailPages } from './profile/email.js';
import { namePage } from './profile/name.js';
import { languagePage } from './profile/language.js';
import { profilePage } from './profile/profile.js';
import { upgradePages } from './profile/upgrade.js';
import { usernamePages } from './profile/username.js';
import { verifyEmailPage } from './profile/verify-email.js';
import { authenticatorAppPages } from './security/authenticator-apps.js';
import { authenticatorPages } from './security/authenticator.js';
import { connectedPages } from './security/connected.js';
import { passkeyPages } from './security/passkeys.js';
import { passwordPage } from './security/password.js';
import { phonePages } from './security/phones.js';
import { recoveryCodesPage } from './security/recovery-codes.js';
import { secondStepPages } from './security/second-steps.js';
import { securityPage } from './security/security.js';
import { signOutPage } from './sign-out.js';
import { tokenPages } from './tokens/tokens.js';
import { unknownPage } from './unknown.js';

export const accountPages: readonly AccountPage[] = [
  signOutPage,
  impersonationPage,
  ...confirmPages,
  profilePage,
  ...upgradePages,
  ...emailPages,
  verifyEmailPage,
  namePage,
  ...usernamePages,
  languagePage,
  securityPage,
  passwordPage,
  ...authenticatorPages,
  ...authenticatorAppPages,
  ...secondStepPages,
  recoveryCodesPage,
  ...passkeyPages,
  ...phonePages,
  ...connectedPages,
  ...devicePages,
  activityPage,
  ...connectedAppPages,
  ...tokenPages,
  ...organizationPages,
  ...dataPages,
  // Last: it answers what no other page does.
  unknownPage,
];
