/** Sign-in and security: the methods of the account, each in its own panel. */
import { sectionIsOffered } from '../sections.js';
import { defineAccountPage } from '../page.js';
import { connectedOf } from './connected.js';
import { passkeysOf } from './passkeys.js';
import { passwordOf } from './password.js';
import { phonesOf } from './phones.js';
import { twoFactorOf } from './two-factor.js';

export const securityPage = defineAccountPage({
  section: 'security',
  path: '/security',
  access: 'session',
  isOffered: (offers) => sectionIsOffered('security', offers),
  async show(visit) {
    const [passkeys, twoFactor, phones, connected] = await Promise.all([
      passkeysOf(visit),
      twoFactorOf(visit),
      phonesOf(visit),
      connectedOf(visit),
    ]);
    const view = { password: passwordOf(visit), passkeys, twoFactor, phones, connected };
    return { title: visit.words.sections.security, body: visit.templates.accountSecurity(visit, view) };
  },
});
