/** The devices on which the user is signed in. */
import { form } from '../fields.js';
import { html } from '../html.js';
import { list, section } from './section.js';

export const devicesSection = section(
  {
    id: 'devices',
    title: 'Devices',
    intro: "Sign out any device you don't recognize.",
  },
  html`${list('device-list', 'No devices.')}
  ${form(
    {
      id: 'revoke-others',
      route: '/devices/revoke-others',
      submit: 'Sign out everywhere else',
      busy: 'Signing out…',
      look: 'plain',
    },
    null,
  )}`,
);
