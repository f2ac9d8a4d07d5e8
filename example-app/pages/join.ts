/** The page that the link of an invitation opens. */
import type { ServiceUser } from 'svc-auth';
import { form } from './fields.js';
import { html } from './html.js';
import { needsScript, page, publicTop } from './layout.js';

export function joinPage(user: ServiceUser | null): string {
  const accept = html`<p>
      You're signed in as <strong>${user?.email ?? 'a guest'}</strong>. Only the invited email address can
      accept the invitation.
    </p>
    ${form({ id: 'accept', route: '/orgs/invites/accept', submit: 'Accept invitation', busy: 'Accepting…' }, null)}
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
  const signIn = html`<p>Sign in with the email address that was invited.</p>
    <a class="button" href="/sign-in?notice=join">Sign in</a>`;
  return page({
    title: 'Invitation',
    script: 'join',
    user,
    body: html`${publicTop}
      <main>
        <div class="card narrow">
          <h1>You've been invited</h1>
          ${needsScript}
          <div class="steps">
            <div id="invited">${user ? accept : signIn}</div>
            <div id="invite-needs-link" hidden>
              <p tabindex="-1">This invitation has expired or has already been used. Ask for a new one.</p>
              <a class="button" href="/">Go to Acme</a>
            </div>
          </div>
        </div>
      </main>`,
  });
}
