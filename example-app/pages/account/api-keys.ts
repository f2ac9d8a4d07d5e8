/** Keys for programs. */
import { field, form } from '../fields.js';
import { html } from '../html.js';
import { list, section } from './section.js';

export const apiKeysSection = section(
  {
    id: 'api-keys',
    title: 'API keys',
    intro: 'For scripts that read your notes without you. A key is shown once.',
  },
  html`${list('key-list', 'No keys yet.')}
    <div class="banner" id="new-key" hidden>
      <p tabindex="-1"><strong>Copy your key now.</strong> It is not shown again.</p>
      <p class="row"><code></code></p>
      <p class="row">
        <button type="button" class="plain" data-copy="">Copy the key</button>
        <button type="button" class="plain" data-copy="">Copy a curl line</button>
      </p>
    </div>
    ${form(
      {
        id: 'create-key',
        route: '/api-keys',
        submit: 'Make a key',
        busy: 'Making…',
        look: 'plain',
        inline: true,
      },
      field({
        id: 'key-name',
        name: 'name',
        label: 'Name of the new key',
        autocomplete: 'off',
        placeholder: 'Backup script',
        maxlength: 100,
      }),
    )}`,
);
