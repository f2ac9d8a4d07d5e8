/** The templates of the pages. */
import type { Templates } from '../template.js';
import { accountActivity } from './account-activity.js';
import { accountApps } from './account-apps.js';
import { accountAuthenticator } from './account-authenticator.js';
import { accountChange } from './account-change.js';
import { accountConfirm } from './account-confirm.js';
import { accountConfirmSent } from './account-confirm-sent.js';
import { accountData } from './account-data.js';
import { accountDeleted } from './account-deleted.js';
import { accountDevices } from './account-devices.js';
import { accountFrame } from './account-frame.js';
import { accountLeaving } from './account-leaving.js';
import { accountNewKey } from './account-new-key.js';
import { accountNotFound } from './account-not-found.js';
import { accountOrganization } from './account-organization.js';
import { accountOrganizations } from './account-organizations.js';
import { accountPasskey } from './account-passkey.js';
import { accountProfile } from './account-profile.js';
import { accountRecoveryCodes } from './account-recovery-codes.js';
import { accountSecurity } from './account-security.js';
import { accountTokens } from './account-tokens.js';
import { card } from './card.js';
import { challenge } from './challenge.js';
import { choosePassword } from './choose-password.js';
import { code } from './code.js';
import { completeSignUp } from './complete-sign-up.js';
import { consent } from './consent.js';
import { device } from './device.js';
import { document } from './document.js';
import { error } from './error.js';
import { impersonation } from './impersonation.js';
import { join } from './join.js';
import { joinEnded } from './join-ended.js';
import { linkConfirmation } from './link-confirmation.js';
import { notMe } from './not-me.js';
import { link } from './link.js';
import { message } from './message.js';
import { passkeySignUp } from './passkey-sign-up.js';
import { password } from './password.js';
import { phone } from './phone.js';
import { reset } from './reset.js';
import { secondStep } from './second-step.js';
import { signIn } from './sign-in.js';
import { signUp } from './sign-up.js';
import { verify } from './verify.js';

export const templates: Templates = {
  accountActivity,
  accountApps,
  accountAuthenticator,
  accountChange,
  accountConfirm,
  accountConfirmSent,
  accountData,
  accountDeleted,
  accountDevices,
  accountFrame,
  accountLeaving,
  accountNewKey,
  accountNotFound,
  accountOrganization,
  accountOrganizations,
  accountPasskey,
  accountProfile,
  accountRecoveryCodes,
  accountSecurity,
  accountTokens,
  card,
  challenge,
  choosePassword,
  code,
  completeSignUp,
  document,
  error,
  impersonation,
  join,
  joinEnded,
  consent,
  device,
  linkConfirmation,
  notMe,
  link,
  message,
  passkeySignUp,
  password,
  phone,
  reset,
  secondStep,
  signIn,
  signUp,
  verify,
};
