/** The second factor: an authenticator app, and recovery codes for a lost phone. */
import { codeField, form, formMessage, stepButton } from '../fields.js';
import { html, type Html } from '../html.js';
import { nameOf, type Visitor } from '../layout.js';
import { section } from './section.js';

export const twoFactorSection = ({ user, guest }: Visitor): Html =>
  section(
    {
      id: 'two-factor',
      title: 'Two-factor authentication',
      intro: 'Ask for a code from your authenticator app when you sign in.',
      badge: html`<span class="badge good" id="totp-on" hidden>on</span>
        <span class="badge" id="totp-off" hidden>off</span>`,
    },
    html`<div class="steps">
      <div id="totp-idle" aria-busy="true">
        <div id="totp-disabled" hidden>
          ${form(
            {
              id: 'totp-enroll',
              route: '/totp/enroll',
              submit: 'Set up authenticator app',
              busy: 'Preparing…',
            },
            null,
          )}
        </div>
        <div id="totp-enabled" hidden>
          <p><strong id="codes-left"></strong> recovery codes left.</p>
          <div class="row">
            <form id="new-codes" action="/api/auth/totp/recovery-codes" method="post">
              <button class="plain" data-busy="Replacing codes…">Replace recovery codes</button>
              ${formMessage}
            </form>
            <form id="totp-disable" action="/api/auth/totp/disable" method="post">
              <button class="quiet danger" data-busy="Turning off…">Turn off two-factor</button>
              ${formMessage}
            </form>
          </div>
        </div>
      </div>
      ${form(
        {
          id: 'totp-confirm',
          route: '/totp/confirm',
          submit: 'Turn on two-factor',
          busy: 'Checking…',
          hidden: true,
        },
        html`<ol class="numbered">
            <li>Scan this QR code with your authenticator app.</li>
            <li>Or enter this key: <code id="totp-secret"></code></li>
            <li>Enter the code that the app shows.</li>
          </ol>
          <div id="totp-qr" class="qr"></div>
          ${codeField('totp-code', 'Authenticator code')}`,
        stepButton('totp-idle', 'Cancel'),
      )}
      <div id="recovery" hidden>
        <h3 tabindex="-1">Your recovery codes</h3>
        <p class="on-paper">Acme recovery codes of <strong>${nameOf(user, guest)}</strong></p>
        <p class="soft">
          Each code signs you in once if you lose your phone. Save them now: they won't be shown again.
        </p>
        <ul class="codes" id="recovery-codes"></ul>
        <div class="row">
          <button type="button" class="plain" id="print-codes">Print codes</button>
          <button type="button" class="plain" id="copy-codes" data-copy="">Copy codes</button>
          <button type="button" id="codes-kept">I've saved my codes</button>
        </div>
      </div>
    </div>`,
  );
