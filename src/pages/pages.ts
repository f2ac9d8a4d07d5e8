/** Every page. */
import { consentPage } from './consent/consent.js';
import { devicePage } from './device/device.js';
import { joinPage } from './join/join.js';
import { languagePage } from './language-menu.js';
import type { Page } from './page.js';
import { resetCodePage, resetDonePage, resetPage, resetSentPage } from './reset/reset.js';
import { secondFactorPages } from './second-factor/pages.js';
import { codePage } from './sign-in/code.js';
import { donePage } from './sign-in/done.js';
import { linkPage } from './sign-in/link.js';
import { passwordPage } from './sign-in/password.js';
import { passkeyOfferPage } from './sign-in/passkey-offer.js';
import { phoneCodePage, phonePage } from './sign-in/phone.js';
import { signInPage } from './sign-in/start.js';
import { signUpCodePage } from './sign-up/code.js';
import { completeSignUpPage } from './sign-up/complete.js';
import { passkeySignUpCodePage, passkeySignUpPage } from './sign-up/passkey.js';
import { signUpPage } from './sign-up/start.js';
import { verifyPages } from './verify/verify.js';

export const pages: readonly Page[] = [
  signInPage,
  passwordPage,
  codePage,
  linkPage,
  phonePage,
  phoneCodePage,
  donePage,
  passkeyOfferPage,
  signUpPage,
  signUpCodePage,
  completeSignUpPage,
  passkeySignUpPage,
  passkeySignUpCodePage,
  ...verifyPages,
  ...secondFactorPages,
  resetPage,
  resetCodePage,
  resetSentPage,
  resetDonePage,
  joinPage,
  consentPage,
  devicePage,
  languagePage,
];
