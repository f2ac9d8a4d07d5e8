/** Passkeys: a list and a button that adds one. */
import { form } from '../fields.js';
import { html } from '../html.js';
import { list, section } from './section.js';

export const passkeysSection = section(
  {
    id: 'passkeys',
    title: 'Passkeys',
    intro: 'Sign in with your fingerprint, your face or a security key.',
  },
  html`${list('passkey-list', 'No passkeys yet.')}
  ${form(
    {
      id: 'add-passkey',
      route: '/passkeys/register/start',
      submit: 'Add passkey',
      busy: 'Waiting for your device…',
    },
    null,
  )}`,
);
