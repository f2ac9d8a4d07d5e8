/** The address of the account: whether it is verified, and how it becomes another one. For guests: how to keep the account. */
import { codeField, emailField, field, form, stepButton } from '../fields.js';
import { html } from '../html.js';
import { nameOf, type Visitor } from '../layout.js';
import { section } from './section.js';

export function profileSection({ user, guest }: Visitor) {
  if (guest) return keepSection;
  const badge =
    user.email !== null &&
    html`<span class="badge good" id="verified" ${!user.emailVerified && 'hidden'}>verified</span>
      <span class="badge" id="unverified" ${user.emailVerified && 'hidden'}>not verified yet</span>`;
  return section(
    { id: 'profile', title: 'Profile', intro: 'Your address is where codes, links and invitations go.' },
    html`<dl>
        <dt>Email address</dt>
        <dd><span data-show="account-email">${nameOf(user, false)}</span> ${badge}</dd>
        <dt>Member since</dt>
        <dd>${user.createdAt.toLocaleDateString('en-GB', { dateStyle: 'long' })}</dd>
      </dl>
      <div class="steps">
        <div id="profile-idle" class="row">
          ${form(
            {
              id: 'send-verification',
              route: '/account/verify-email/send',
              submit: 'Verify the address',
              busy: 'Sending a code…',
              hidden: user.email === null || user.emailVerified,
            },
            null,
          )}
          <button type="button" class="plain" data-step="change-email">
            ${user.email === null ? 'Add an address' : 'Change the address'}
          </button>
        </div>
        ${form(
          {
            id: 'verify-email',
            route: '/account/verify-email',
            submit: 'Verify',
            busy: 'Checking…',
            hidden: true,
          },
          codeField('verify-code', 'Code from the mail', 'We sent it to your address.'),
          stepButton('profile-idle', 'Not now'),
        )}
        ${form(
          {
            id: 'change-email',
            route: '/account/email',
            submit: 'Continue',
            busy: 'Sending codes…',
            hidden: true,
          },
          emailField(
            'new-email',
            'We mail a code there, and one to the address that you have now.',
            'New address',
          ),
          stepButton('profile-idle', 'Cancel'),
        )}
        ${form(
          {
            id: 'confirm-email',
            route: '/account/email/confirm',
            submit: 'Change the address',
            busy: 'Changing…',
            hidden: true,
          },
          html`<input type="hidden" name="email" />
            ${codeField('new-email-code', 'Code from the mail to the new address')}
            <div id="current-code-part">
              ${field({
                id: 'current-email-code',
                name: 'currentCode',
                label: 'Code from the mail to the present address',
                autocomplete: 'one-time-code',
                inputmode: 'numeric',
              })}
            </div>`,
          stepButton('profile-idle', 'Cancel'),
        )}
      </div>`,
  );
}

/** A guest has no way back in: an address makes the same account theirs, with all that is in it. */
const keepSection = section(
  {
    id: 'keep',
    title: 'Keep your notes',
    intro: 'You are a guest. With an address this becomes your account, and nothing is lost.',
  },
  html`<div class="steps">
    ${form(
      { id: 'keep-send', route: '/guest/upgrade/send', submit: 'Email me a code', busy: 'Sending the code…' },
      emailField('keep-email'),
      stepButton('keep-password', 'Choose a password instead'),
    )}
    ${form(
      {
        id: 'keep-verify',
        route: '/guest/upgrade',
        submit: 'Keep my account',
        busy: 'Checking…',
        hidden: true,
      },
      html`<p>We sent a code to <strong data-show="email"></strong>.</p>
        <input type="hidden" name="email" />
        ${codeField('keep-code', 'Code from the mail')}`,
      stepButton('keep-send', 'New code or other address'),
    )}
    ${form(
      {
        id: 'keep-password',
        route: '/guest/upgrade',
        submit: 'Keep my account',
        busy: 'Saving…',
        hidden: true,
      },
      html`${emailField('keep-password-email')}
      ${field({
        id: 'keep-new-password',
        name: 'password',
        label: 'Password',
        type: 'password',
        autocomplete: 'new-password',
        hint: 'At least 8 characters.',
      })}`,
      stepButton('keep-send', 'Use a code instead'),
    )}
  </div>`,
);
