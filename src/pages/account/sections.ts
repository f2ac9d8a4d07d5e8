/** Which sections the navigation has. */
import type { UserRecord } from '../../domain/user-record.js';
import type { Offers } from './offers.js';
import type { AccountPage } from './page.js';
import { sections, type AccountSection } from './views.js';

const isOffered: Readonly<Record<AccountSection, (offers: Offers) => boolean>> = {
  profile: () => true,
  security: ({ password, totp, webauthn, identities, phone }) =>
    Boolean(password ?? totp ?? webauthn ?? identities ?? phone),
  devices: ({ devices }) => devices !== null,
  activity: ({ activity }) => activity !== null,
  apps: ({ connectedApps }) => connectedApps !== null,
  tokens: ({ apiKeys, apps }) => Boolean(apiKeys ?? apps),
  organizations: ({ orgs }) => orgs !== null,
  data: ({ account }) => account !== null,
};

/** The sections of guests. The others need an account that one can sign in to again. */
const forGuests: ReadonlySet<AccountSection> = new Set(['profile', 'devices', 'data']);

export function sectionIsOffered(section: AccountSection, offers: Offers): boolean {
  return isOffered[section](offers);
}

export function sectionsOf(offers: Offers, { isGuest }: Pick<UserRecord, 'isGuest'>): AccountSection[] {
  return sections.filter((section) => isOffered[section](offers) && (!isGuest || forGuests.has(section)));
}

/** Returns whether the page is one that the user may open. */
export function isOpenTo(
  { isGuest }: Pick<UserRecord, 'isGuest'>,
  { section, forGuests: isForGuests }: AccountPage,
): boolean {
  return !isGuest || (isForGuests === true && forGuests.has(section));
}
