/** Organisations: members, roles, invitations, keys. */
import { field, form } from '../fields.js';
import { html } from '../html.js';
import { list, section } from './section.js';

export const organisationsSection = section(
  {
    id: 'organisations',
    title: 'Organisations',
    intro: 'People you work with, and keys that you share. Invitations go by mail.',
  },
  html`${list('org-list', 'You are in no organisation yet.')}
  ${form(
    { id: 'create-org', route: '/orgs', submit: 'Found it', busy: 'Founding…', look: 'plain', inline: true },
    field({
      id: 'org-name',
      name: 'name',
      label: 'Name of a new organisation',
      autocomplete: 'off',
      placeholder: 'Analytical Engines Ltd',
      maxlength: 100,
    }),
  )}`,
);
