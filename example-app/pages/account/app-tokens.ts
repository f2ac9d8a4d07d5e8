/** Refresh tokens for apps that cannot store cookies. */
import { field, form } from '../fields.js';
import { html } from '../html.js';
import { list, section } from './section.js';

export const appTokensSection = section(
  {
    id: 'app-tokens',
    title: 'App tokens',
    intro: 'Sign in an app that cannot store cookies, such as a mobile app.',
  },
  html`${list('app-token-list', 'No apps are signed in.')}
    <div class="banner" id="app-token" hidden>
      <p tabindex="-1">
        <strong id="app-token-name"></strong> is signed in <span id="app-token-until"></span>.
      </p>
      <p class="row">
        <button type="button" class="plain" id="copy-app-token" data-copy="">Copy curl command</button>
        <button type="button" class="plain" id="renew-app-token" data-busy="Renewing…">Renew tokens</button>
        <button type="button" class="quiet danger" id="end-app-token" data-busy="Revoking…">
          Revoke tokens
        </button>
      </p>
    </div>
    ${form(
      {
        id: 'issue-app-token',
        route: '/token/issue',
        submit: 'Create token',
        busy: 'Creating…',
        look: 'plain',
        inline: true,
      },
      field({
        id: 'app-name',
        name: 'name',
        label: 'App name',
        autocomplete: 'off',
        placeholder: 'Notes on my phone',
        maxlength: 100,
      }),
    )}`,
);
