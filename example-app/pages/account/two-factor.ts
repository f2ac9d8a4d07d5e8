/** A second factor: an authenticator app, and recovery codes for the day the phone is lost. */
import { codeField, form, formMessage, stepButton } from '../fields.js';
import { html, type Html } from '../html.js';
import { nameOf, type Visitor } from '../layout.js';
import { section } from './section.js';

export const twoFactorSection = ({ user, guest }: Visitor): Html =>
  section(
    {
      id: 'two-factor',
      title: 'Two-factor',
      intro: 'After your password or code, your phone has a say as well.',
      badge: html`<span class="badge good" id="totp-on" hidden>on</span>
        <span class="badge" id="totp-off" hidden>off</span>`,
    },
    html`<div class="steps">
      <div id="totp-idle" aria-busy="true">
        <div id="totp-disabled" hidden>
          ${form(
            { id: 'totp-enroll', route: '/totp/enroll', submit: 'Set up an app', busy: 'Preparing…' },
            null,
          )}
        </div>
        <div id="totp-enabled" hidden>
          <p><strong id="codes-left"></strong> recovery codes are left.</p>
          <div class="row">
            <form id="new-codes" action="/api/auth/totp/recovery-codes" method="post">
              <button class="plain" data-busy="Making new codes…">New recovery codes</button>
              ${formMessage}
            </form>
            <form id="totp-disable" action="/api/auth/totp/disable" method="post">
              <button class="quiet danger" data-busy="Turning off…">Turn off</button>
              ${formMessage}
            </form>
          </div>
        </div>
      </div>
      ${form(
        {
          id: 'totp-confirm',
          route: '/totp/confirm',
          submit: 'Turn on',
          busy: 'Checking…',
          hidden: true,
        },
        html`<ol class="numbered">
            <li>Open your authenticator app and scan this picture.</li>
            <li>Or type the key into it: <code id="totp-secret"></code></li>
            <li>Enter the code that the app shows.</li>
          </ol>
          <div id="totp-qr" class="qr"></div>
          ${codeField('totp-code', 'Code of the app')}`,
        stepButton('totp-idle', 'Cancel'),
      )}
      <div id="recovery" hidden>
        <h3 tabindex="-1">Your recovery codes</h3>
        <p class="on-paper">Acme recovery codes of <strong>${nameOf(user, guest)}</strong></p>
        <p class="soft">
          Each of them signs you in once when your phone is not at hand. They are shown this one time: print
          them, or keep them with your passwords.
        </p>
        <ul class="codes" id="recovery-codes"></ul>
        <div class="row">
          <button type="button" class="plain" id="print-codes">Print</button>
          <button type="button" class="plain" id="copy-codes" data-copy="">Copy</button>
          <button type="button" id="codes-kept">I have kept them</button>
        </div>
      </div>
    </div>`,
  );
