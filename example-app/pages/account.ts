/** The account page: its sections are in ./account, and so are their scripts in ../browser/account. */
import { passkeysSection } from './account/passkeys.js';
import { html } from './html.js';
import { memberTop, page, type Visitor } from './layout.js';
import { signInAgain } from './sign-in-again.js';

export function accountPage(visitor: Visitor): string {
  return page({
    title: 'Account',
    script: 'account',
    body: html`${memberTop(visitor, 'account')}
      <main class="wide account">
        <h1>Your account</h1>
        ${passkeysSection}
      </main>
      ${signInAgain(visitor.user)}`,
  });
}
