/** A copy of everything, and the end of everything. */
import { field, form } from '../fields.js';
import { html } from '../html.js';
import { section } from './section.js';

export const yourDataSection = section(
  {
    id: 'your-data',
    title: 'Your data',
    intro: 'Take it with you, or have all of it deleted. Notes included.',
  },
  html`<div class="row">
      ${form(
        {
          id: 'export',
          route: '/account/export',
          submit: 'Download everything',
          busy: 'Collecting…',
          look: 'plain',
        },
        null,
      )}
      <button type="button" class="quiet danger" id="open-delete">Delete the account</button>
    </div>
    <dialog id="delete-dialog" aria-labelledby="delete-title">
      ${form(
        {
          id: 'delete-account',
          route: '/account',
          submit: 'Delete everything',
          busy: 'Deleting…',
          look: 'danger',
        },
        html`<h2 id="delete-title">Delete your account?</h2>
          <p>Your account and every note in it will be gone, on all devices. Nobody can bring it back.</p>
          ${field({
            id: 'delete-word',
            name: 'word',
            label: 'Type “delete” to confirm',
            autocomplete: 'off',
          })}`,
        html`<button type="button" class="plain" data-close>Keep my account</button>`,
      )}
    </dialog>`,
);
