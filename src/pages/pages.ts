/** Every page. */
import type { Page } from './page.js';
import { codePage } from './sign-in/code.js';
import { linkPage } from './sign-in/link.js';
import { passwordPage } from './sign-in/password.js';
import { signInPage } from './sign-in/start.js';

export const pages: readonly Page[] = [signInPage, passwordPage, codePage, linkPage];
