/** Tokens for apps that cannot keep a cookie. */
import { field, form } from '../fields.js';
import { html } from '../html.js';
import { list, section } from './section.js';

export const appTokensSection = section(
  {
    id: 'app-tokens',
    title: 'App tokens',
    intro:
      'Signs in an app that cannot keep a cookie, such as one on a phone: as you, with tokens that it renews by itself.',
  },
  html`${list('app-token-list', 'No app is signed in.')}
    <div class="banner" id="app-token" hidden>
      <p tabindex="-1">
        <strong id="app-token-name"></strong> is signed in <span id="app-token-until"></span>.
      </p>
      <p class="row">
        <button type="button" class="plain" id="copy-app-token" data-copy="">Copy a curl line</button>
        <button type="button" class="plain" id="renew-app-token" data-busy="Renewing…">Renew</button>
        <button type="button" class="quiet danger" id="end-app-token" data-busy="Ending…">End</button>
      </p>
    </div>
    ${form(
      {
        id: 'issue-app-token',
        route: '/token/issue',
        submit: 'Sign it in',
        busy: 'Signing in…',
        look: 'plain',
        inline: true,
      },
      field({
        id: 'app-name',
        name: 'name',
        label: 'Name of the app',
        autocomplete: 'off',
        placeholder: 'Notes on my phone',
        maxlength: 100,
      }),
    )}`,
);
