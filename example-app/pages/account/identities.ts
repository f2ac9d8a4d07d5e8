/** Accounts at identity providers, and phone numbers, that can sign in to this account. */
import { form } from '../fields.js';
import { html } from '../html.js';
import { list, section } from './section.js';

export const identitiesSection = section(
  {
    id: 'identities',
    title: 'Linked accounts',
    intro: 'Other accounts and phone numbers that you can sign in with.',
  },
  html`${list('identity-list', 'No linked accounts yet.')}
    <div class="row">
      ${form({ id: 'link-google', route: '/google/link', submit: 'Link Google', busy: 'Redirecting…', look: 'plain' }, null)}
      ${form({ id: 'link-orbit', route: '/oauth/orbit/link', submit: 'Link Orbit', busy: 'Redirecting…', look: 'plain' }, null)}
    </div>`,
);
