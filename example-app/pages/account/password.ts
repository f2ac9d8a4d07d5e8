/** Sets a first password, or changes the existing one. */
import { field, form } from '../fields.js';
import { html } from '../html.js';
import { section } from './section.js';

export const passwordSection = section(
  {
    id: 'password',
    title: 'Password',
    intro: 'Changing it signs out your other devices.',
  },
  form(
    { id: 'change-password', route: '/account/password', submit: 'Save password', busy: 'Saving…' },
    html`<div id="current-password-part" hidden>
        ${field({
          id: 'current-password',
          name: 'currentPassword',
          label: 'Current password',
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
