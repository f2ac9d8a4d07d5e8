/** Every page. */
import { joinPage } from './join/join.js';
import type { Page } from './page.js';
import { resetDonePage, resetPage, resetSentPage } from './reset/reset.js';
import { appCodePage, recoveryCodePage } from './second-factor/app.js';
import { emailStepPage } from './second-factor/email.js';
import { codePage } from './sign-in/code.js';
import { donePage } from './sign-in/done.js';
import { linkPage } from './sign-in/link.js';
import { passwordPage } from './sign-in/password.js';
import { signInPage } from './sign-in/start.js';
import { signUpCodePage } from './sign-up/code.js';
import { signUpPage } from './sign-up/start.js';
import { verifyPage } from './verify/verify.js';

export const pages: readonly Page[] = [
  signInPage,
  passwordPage,
  codePage,
  linkPage,
  donePage,
  signUpPage,
  signUpCodePage,
  verifyPage,
  appCodePage,
  recoveryCodePage,
  emailStepPage,
  resetPage,
  resetSentPage,
  resetDonePage,
  joinPage,
];
