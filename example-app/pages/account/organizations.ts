/** Organizations: members, roles, invitations, keys. */
import { field, form } from '../fields.js';
import { html } from '../html.js';
import { list, section } from './section.js';

export const organizationsSection = section(
  {
    id: 'organizations',
    title: 'Organizations',
    intro: 'Work with other people and share API keys.',
  },
  html`${list('org-list', 'No organizations yet.')}
  ${form(
    {
      id: 'create-org',
      route: '/orgs',
      submit: 'Create organization',
      busy: 'Creating…',
      look: 'plain',
      inline: true,
    },
    field({
      id: 'org-name',
      name: 'name',
      label: 'Organization name',
      autocomplete: 'off',
      placeholder: 'Analytical Engines Ltd',
      maxlength: 100,
    }),
  )}`,
);
