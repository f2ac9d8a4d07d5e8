/** The account page: one module for each section. */
import { startApiKeys } from './account/api-keys.js';
import { startAppTokens } from './account/app-tokens.js';
import { startDevices } from './account/devices.js';
import { startIdentities } from './account/identities.js';
import { startKeep } from './account/keep.js';
import { startOrganizations } from './account/organizations.js';
import { startPasskeys } from './account/passkeys.js';
import { startPassword } from './account/password.js';
import { startProfile } from './account/profile.js';
import { startTwoFactor } from './account/two-factor.js';
import { startYourData } from './account/your-data.js';
import { onCopy } from './copy.js';
import { get } from './dom.js';
import { showError } from './forms.js';
import { startShell } from './shell.js';
import { startSignInAgain } from './sign-in-again.js';
import { restoreSteps, takeQuery } from './steps.js';

takeQuery();
startShell();
startSignInAgain();
onCopy();
startYourData();
if (document.getElementById('keep')) {
  startKeep();
  startDevices();
} else {
  startProfile();
  startPasskeys();
  startIdentities();
  startApiKeys();
  const refreshTokens = startAppTokens();
  const refreshDevices = startDevices(refreshTokens);
  startOrganizations(get('again').dataset['user'] ?? '');
  // Both changes end every other session and token.
  const signedOutOthers = () => Promise.all([refreshDevices(), refreshTokens()]);
  startPassword(signedOutOthers).catch((error: unknown) => showError(get('password'), error));
  startTwoFactor(signedOutOthers).catch((error: unknown) => showError(get('two-factor'), error));
}
restoreSteps();
