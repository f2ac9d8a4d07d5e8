/** Where the link of an invitation leads. */
import type { ServiceUser } from 'svc-auth';
import { form } from './fields.js';
import { html } from './html.js';
import { needsScript, page, publicTop } from './layout.js';

export function joinPage(user: ServiceUser | null): string {
  const accept = html`<p>
      You are signed in as <strong>${user?.email ?? 'a guest'}</strong>. Only the account with the address
      that was invited can join.
    </p>
    ${form({ id: 'accept', route: '/orgs/invites/accept', submit: 'Join', busy: 'Joining…' }, null)}
    ${form(
      {
        id: 'switch',
        route: '/logout',
        submit: 'Use a different account',
        busy: 'Signing out…',
        look: 'plain',
      },
      null,
    )}
    <a class="button plain" href="/">Not now</a>`;
  const signIn = html`<p>Sign in with the address that the invitation was sent to, then you can accept it.</p>
    <a class="button" href="/sign-in?notice=join">Sign in</a>`;
  return page({
    title: 'Invitation',
    script: 'join',
    user,
    body: html`${publicTop}
      <main>
        <div class="card narrow">
          <h1>You are invited</h1>
          ${needsScript}
          <div class="steps">
            <div id="invited">${user ? accept : signIn}</div>
            <div id="invite-needs-link" hidden>
              <p tabindex="-1">
                This needs the link from the mail. Open it again, or ask whoever invited you for a new one.
              </p>
              <a class="button" href="/">Go to Acme</a>
            </div>
          </div>
        </div>
      </main>`,
  });
}
