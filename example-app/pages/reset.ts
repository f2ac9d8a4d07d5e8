/** The page that the link of a password reset email opens. The script removes the token from the address bar. */
import { checkbox, field, form } from './fields.js';
import { html } from './html.js';
import { needsScript, page, publicTop } from './layout.js';

export function resetPage(): string {
  return page({
    title: 'Choose a new password',
    script: 'reset',
    body: html`${publicTop}
      <main>
        <div class="card narrow">
          <h1>Choose a new password</h1>
          ${needsScript}
          <div class="steps">
            ${form(
              { id: 'reset', route: '/password/reset', submit: 'Save password', busy: 'Saving…' },
              html`<input type="hidden" name="token" /> ${field({
                  id: 'new-password',
                  name: 'newPassword',
                  label: 'New password',
                  type: 'password',
                  autocomplete: 'new-password',
                  hint: 'At least 8 characters. All your devices will be signed out.',
                })}
                ${checkbox({
                  id: 'revoke-credentials',
                  name: 'revokeCredentials',
                  label: 'Also remove my passkeys and API keys',
                  hint: 'Choose this if someone else had access to your account.',
                })}`,
            )}
            <div id="reset-needs-link" hidden>
              <p tabindex="-1">This link has expired or has already been used. Request a new one.</p>
              <a class="button" href="/sign-in?method=password#forgot">Request a new link</a>
            </div>
          </div>
        </div>
      </main>`,
  });
}
