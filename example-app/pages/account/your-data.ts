/** Exports the data of the account, and deletes the account. */
import { field, form } from '../fields.js';
import { html } from '../html.js';
import { section } from './section.js';

export const yourDataSection = section(
  {
    id: 'your-data',
    title: 'Your data',
    intro: 'Download your account and notes, or delete them.',
  },
  html`<div class="row">
      ${form(
        {
          id: 'export',
          route: '/account/export',
          submit: 'Download my data',
          busy: 'Collecting…',
          look: 'plain',
        },
        null,
      )}
      <button type="button" class="quiet danger" id="open-delete">Delete account</button>
    </div>
    <dialog id="delete-dialog" aria-labelledby="delete-title">
      ${form(
        {
          id: 'delete-account',
          route: '/account',
          submit: 'Delete my account',
          busy: 'Deleting…',
          look: 'danger',
        },
        html`<h2 id="delete-title">Delete your account?</h2>
          <p>Your account and all your notes will be deleted. This cannot be undone.</p>
          ${field({
            id: 'delete-word',
            name: 'word',
            label: 'Type “delete” to confirm',
            autocomplete: 'off',
          })}`,
        html`<button type="button" class="plain" data-close>Cancel</button>`,
      )}
    </dialog>`,
);
