/** Sign-in and security: the methods of the account, each in its own panel. */
import { html } from '../../../html/html.js';
import { sectionIsOffered } from '../sections.js';
import type { AccountPage } from '../page.js';
import { authenticatorPanel } from './authenticator-panel.js';
import { connectedPanel } from './connected.js';
import { passkeysPanel } from './passkeys.js';
import { passwordPanel } from './password.js';
import { phonesPanel } from './phones.js';

export const securityPage: AccountPage = {
  section: 'security',
  path: '/security',
  access: 'session',
  isOffered: (offers) => sectionIsOffered('security', offers),
  async show(visit) {
    const panels = await Promise.all([
      passkeysPanel(visit),
      authenticatorPanel(visit),
      phonesPanel(visit),
      connectedPanel(visit),
    ]);
    return { title: visit.words.sections.security, body: html`${passwordPanel(visit)} ${panels}` };
  },
};
