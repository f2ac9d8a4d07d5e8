/** Accounts elsewhere that sign in to this one. */
import { form } from '../fields.js';
import { html } from '../html.js';
import { list, section } from './section.js';

export const identitiesSection = section(
  {
    id: 'identities',
    title: 'Linked accounts',
    intro: 'Accounts elsewhere, and phone numbers, that sign you in here.',
  },
  html`${list('identity-list', 'Nothing is linked.')}
    <div class="row">
      ${form({ id: 'link-google', route: '/google/link', submit: 'Link Google', busy: 'Going there…', look: 'plain' }, null)}
      ${form({ id: 'link-orbit', route: '/oauth/orbit/link', submit: 'Link Orbit', busy: 'Going there…', look: 'plain' }, null)}
    </div>`,
);
