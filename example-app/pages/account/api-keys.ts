/** API keys for programs. */
import { field, form } from '../fields.js';
import { html } from '../html.js';
import { list, section } from './section.js';

export const apiKeysSection = section(
  {
    id: 'api-keys',
    title: 'API keys',
    intro: 'Let scripts read your notes.',
  },
  html`${list('key-list', 'No keys yet.')}
    <div class="banner" id="new-key" hidden>
      <p tabindex="-1"><strong>Copy your key now.</strong> It won't be shown again.</p>
      <p class="row"><code></code></p>
      <p class="row">
        <button type="button" class="plain" data-copy="">Copy key</button>
        <button type="button" class="plain" data-copy="">Copy curl command</button>
      </p>
    </div>
    ${form(
      {
        id: 'create-key',
        route: '/api-keys',
        submit: 'Create key',
        busy: 'Creating…',
        look: 'plain',
        inline: true,
      },
      field({
        id: 'key-name',
        name: 'name',
        label: 'Key name',
        autocomplete: 'off',
        placeholder: 'Backup script',
        maxlength: 100,
      }),
    )}`,
);
