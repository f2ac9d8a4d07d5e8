/** The account page: its sections are in ./account, and so are their scripts in ../browser/account. */
import { apiKeysSection } from './account/api-keys.js';
import { appTokensSection } from './account/app-tokens.js';
import { devicesSection } from './account/devices.js';
import { identitiesSection } from './account/identities.js';
import { organizationsSection } from './account/organizations.js';
import { passkeysSection } from './account/passkeys.js';
import { passwordSection } from './account/password.js';
import { profileSection } from './account/profile.js';
import { twoFactorSection } from './account/two-factor.js';
import { yourDataSection } from './account/your-data.js';
import { html, type Html } from './html.js';
import { memberTop, needsScript, page, type Visitor } from './layout.js';
import { signInAgain } from './sign-in-again.js';
import { bannerFor } from './words.js';

const parts: { id: string; label: string; section: (visitor: Visitor) => Html }[] = [
  { id: 'profile', label: 'Profile', section: profileSection },
  { id: 'password', label: 'Password', section: () => passwordSection },
  { id: 'two-factor', label: 'Two-factor', section: twoFactorSection },
  { id: 'passkeys', label: 'Passkeys', section: () => passkeysSection },
  { id: 'devices', label: 'Devices', section: () => devicesSection },
  { id: 'identities', label: 'Linked accounts', section: () => identitiesSection },
  { id: 'api-keys', label: 'API keys', section: () => apiKeysSection },
  { id: 'app-tokens', label: 'App tokens', section: () => appTokensSection },
  { id: 'organizations', label: 'Organizations', section: () => organizationsSection },
  { id: 'your-data', label: 'Your data', section: () => yourDataSection },
];
/** Sections for guests. The others require an account that the user can sign in to again. */
const forGuests = ['devices', 'your-data'];

export function accountPage(visitor: Visitor, query: Record<string, unknown>): string {
  const banner = bannerFor(query);
  const shown = visitor.guest ? parts.filter(({ id }) => forGuests.includes(id)) : parts;
  return page({
    title: 'Account',
    script: 'account',
    user: visitor.user,
    body: html`${memberTop(visitor, 'account')}
      <main class="account">
        <h1>Your account</h1>
        <nav class="contents" aria-label="Sections of this page">
          ${shown.map(({ id, label }) => html`<a href="#${id}">${label}</a>`)}
        </nav>
        <div class="sections">
          ${banner && html`<p class="banner ${banner.kind}" role="status">${banner.text}</p>`} ${needsScript}
          ${visitor.guest && profileSection(visitor)} ${shown.map(({ section }) => section(visitor))}
        </div>
      </main>
      ${signInAgain(visitor)}`,
  });
}
