/** Where the link of a reset mail leads. The script takes the token from the address, and out of the address bar. */
import { field, formMessage, html, needsScript, page } from './html.js';

export function resetPage(): string {
  return page({
    title: 'Choose a new password',
    script: 'forms.js',
    body: html`<div class="card">
      <h1>Choose a new password</h1>
      ${needsScript}
      <div class="steps">
        <form id="reset" action="/api/auth/password/reset" method="post">
          <input type="hidden" name="token" />
          ${field({
            id: 'new-password',
            name: 'newPassword',
            label: 'New password',
            type: 'password',
            autocomplete: 'new-password',
            hint: 'At least 8 characters. All your devices will be signed out.',
          })}
          ${formMessage}
          <button data-busy="Saving…">Save the new password</button>
        </form>
        <div id="reset-needs-link" hidden>
          <p tabindex="-1">
            This needs the link from the mail, which works once and for 30 minutes. Open it again, or ask for
            a new one.
          </p>
          <a class="button" href="/sign-in?method=password#forgot">Ask for a new link</a>
        </div>
      </div>
    </div>`,
  });
}
