/** The account page: one module for each section. */
import { startPasskeys } from './account/passkeys.js';
import { startShell } from './shell.js';
import { startSignInAgain } from './sign-in-again.js';

startShell();
startSignInAgain();
startPasskeys();
