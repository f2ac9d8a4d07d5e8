/** The email address of the account: its verification and change. For guests: the upgrade to an account. */
import { codeField, emailField, field, form, resendOr, stepButton } from '../fields.js';
import { html } from '../html.js';
import { nameOf, type Visitor } from '../layout.js';
import { section } from './section.js';

export function profileSection({ user, guest }: Visitor) {
  if (guest) return keepSection;
  const badge =
    user.email !== null &&
    html`<span class="badge good" id="verified" ${!user.emailVerified && 'hidden'}>verified</span>
      <span class="badge" id="unverified" ${user.emailVerified && 'hidden'}>not verified</span>`;
  return section(
    {
      id: 'profile',
      title: 'Profile',
      intro: 'Codes, links and invitations are sent to your email address.',
    },
    html`<dl>
        <dt>Email address</dt>
        <dd><span data-show="account-email">${nameOf(user, false)}</span> ${badge}</dd>
        <dt>Member since</dt>
        <dd>${user.createdAt.toLocaleDateString('en-US', { dateStyle: 'long' })}</dd>
      </dl>
      <div class="steps">
        <div id="profile-idle" class="row">
          ${form(
            {
              id: 'send-verification',
              route: '/account/verify-email/send',
              submit: 'Verify email address',
              busy: 'Sending a code…',
              hidden: user.email === null || user.emailVerified,
            },
            null,
          )}
          <button type="button" class="plain" data-step="change-email">
            ${user.email === null ? 'Add email address' : 'Change email address'}
          </button>
        </div>
        ${form(
          {
            id: 'verify-email',
            route: '/account/verify-email',
            submit: 'Verify code',
            busy: 'Checking…',
            hidden: true,
          },
          codeField('verify-code', 'Code from the email', "We've sent a code to your email address."),
          stepButton('profile-idle', 'Not now'),
        )}
        ${form(
          {
            id: 'change-email',
            route: '/account/email',
            submit: 'Send codes',
            busy: 'Sending codes…',
            hidden: true,
          },
          emailField(
            'new-email',
            "We'll send a code to this address and to your current one.",
            'New email address',
          ),
          stepButton('profile-idle', 'Cancel'),
        )}
        ${form(
          {
            id: 'confirm-email',
            route: '/account/email/confirm',
            submit: 'Change email address',
            busy: 'Changing…',
            hidden: true,
          },
          html`<input type="hidden" name="email" />
            ${codeField('new-email-code', 'Code sent to the new address')}
            <div id="current-code-part">
              ${field({
                id: 'current-email-code',
                name: 'currentCode',
                label: 'Code sent to your current address',
                autocomplete: 'one-time-code',
                inputmode: 'numeric',
              })}
            </div>`,
          stepButton('profile-idle', 'Cancel'),
        )}
      </div>`,
  );
}

/** A guest cannot sign in again. An email address turns the guest into a user with the same notes. */
const keepSection = section(
  {
    id: 'keep',
    title: 'Keep your notes',
    intro: 'Create an account to sign in again later.',
  },
  html`<div class="steps">
    ${form(
      { id: 'keep-send', route: '/guest/upgrade/send', submit: 'Email me a code', busy: 'Sending the code…' },
      emailField('keep-email'),
      stepButton('keep-password', 'Use a password instead'),
    )}
    ${form(
      {
        id: 'keep-verify',
        route: '/guest/upgrade',
        submit: 'Create account',
        busy: 'Checking…',
        hidden: true,
      },
      html`<p>We've sent a code to <strong data-show="email"></strong>.</p>
        <input type="hidden" name="email" />
        ${codeField('keep-code', 'Code from the email')}`,
      resendOr('keep-send', 'Use a different email'),
    )}
    ${form(
      {
        id: 'keep-password',
        route: '/guest/upgrade',
        submit: 'Create account',
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
