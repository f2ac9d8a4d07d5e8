/** Another password, or a first one. */
import { field, form } from '../fields.js';
import { html } from '../html.js';
import { section } from './section.js';

export const passwordSection = section(
  {
    id: 'password',
    title: 'Password',
    intro: 'You can do without one. Where you have one, a change signs out every other device.',
  },
  form(
    { id: 'change-password', route: '/account/password', submit: 'Save the password', busy: 'Saving…' },
    html`<div id="current-password-part" hidden>
        ${field({
          id: 'current-password',
          name: 'currentPassword',
          label: 'Present password',
          type: 'password',
          autocomplete: 'current-password',
        })}
      </div>
      ${field({
        id: 'new-password',
        name: 'newPassword',
        label: 'New password',
        type: 'password',
        autocomplete: 'new-password',
        hint: 'At least 8 characters. A few words are easier to remember.',
      })}`,
  ),
);
