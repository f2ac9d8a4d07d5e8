/**
 * The HTTP suite, run on one storage with every supported version of Express. One database serves
 * the whole file: each site starts at a later time and has its own users, so that no site is
 * affected by the limits of another.
 */
import express5 from 'express';
import express4 from 'express4';
import type { StorageAdapter } from 'svc-auth';
import { isForEverySuite, isThorough, type StorageName } from '../support/databases.js';
import { isHostile } from '../support/hostile-database.js';
import { openSite, type Site, type SiteOptions } from '../support/http-site.js';
import { accountAddress } from './suites/account-address.js';
import { accountOvertaken } from './suites/account-overtaken.js';
import { accountPassword } from './suites/account-password.js';
import { accountRecord } from './suites/account-record.js';
import { accountRefusals } from './suites/account-refusals.js';
import { accounts } from './suites/accounts.js';
import { successResponses } from './suites/responses.js';
import { admin } from './suites/admin.js';
import { adminBulk } from './suites/admin-bulk.js';
import { adminExports } from './suites/admin-exports.js';
import { adminInviteLists } from './suites/admin-invite-lists.js';
import { adminOvertaken } from './suites/admin-overtaken.js';
import { adminRecords } from './suites/admin-records.js';
import { adminPageActions } from './suites/admin-page-actions.js';
import { adminOverview } from './suites/admin-overview.js';
import { adminPageContent } from './suites/admin-page-content.js';
import { adminPages } from './suites/admin-pages.js';
import { allDevices } from './suites/all-devices.js';
import { apiKeys } from './suites/api-keys.js';
import { bearerSessions } from './suites/bearer-sessions.js';
import { bearerTokens } from './suites/bearer.js';
import { bodies } from './suites/bodies.js';
import { cookies } from './suites/cookies.js';
import { crossSite } from './suites/cross-site.js';
import { emailRequirement } from './suites/email-requirement.js';
import { failures } from './suites/failures.js';
import { guestUpgrades } from './suites/guest-upgrades.js';
import { guards } from './suites/guards.js';
import { guests } from './suites/guests.js';
import { hostileInput } from './suites/hostile-input.js';
import { identityProvider } from './suites/identity-provider.js';
import { impersonation } from './suites/impersonation.js';
import { linking } from './suites/linking.js';
import { listPages } from './suites/list-pages.js';
import { linkConfirmation } from './suites/link-confirmation.js';
import { links } from './suites/links.js';
import { languages } from './suites/languages.js';
import { linksWithCodes } from './suites/links-with-codes.js';
import { oauthLinking } from './suites/oauth-linking.js';
import { oauth } from './suites/oauth.js';
import { orgInvites } from './suites/org-invites.js';
import { orgOvertaken } from './suites/org-overtaken.js';
import { orgs } from './suites/orgs.js';
import { ownRoutes } from './suites/own-routes.js';
import { passkeys } from './suites/passkeys.js';
import { passwordResetCodes } from './suites/password-reset-codes.js';
import { passwordRules } from './suites/password-rules.js';
import { phoneLinks } from './suites/phone-links.js';
import { phoneCodes } from './suites/phone-codes.js';
import { proEndpointRefusals } from './suites/pro-endpoints.js';
import { challenges } from './suites/challenges.js';
import { loginAsSuite } from './suites/login-as.js';
import { privateSignUp } from './suites/private-sign-up.js';
import { requestNames } from './suites/request-names.js';
import { refusalReasons } from './suites/refusal-reasons.js';
import { refusals } from './suites/refusals.js';
import { remembering } from './suites/remember.js';
import { secondFactor } from './suites/second-factor.js';
import { sessionLimits } from './suites/session-limits.js';
import { secondStep } from './suites/second-step.js';
import { sessions } from './suites/sessions.js';
import { signInPageAttacks } from './suites/sign-in-page-attacks.js';
import { signInPageMethods } from './suites/sign-in-page-methods.js';
import { signInPageProviders } from './suites/sign-in-page-providers.js';
import { signInPageSteps } from './suites/sign-in-page-steps.js';
import { signInPages } from './suites/sign-in-pages.js';
import { signInAge } from './suites/sign-in-age.js';
import { signUpWithoutEmail } from './suites/sign-up-without-email.js';
import { signUpPolicy } from './suites/sign-up-policy.js';
import { staleTabs } from './suites/stale-tabs.js';
import { strongSignIn } from './suites/strong-sign-in.js';
import { tokens } from './suites/tokens.js';
import { typedCodes } from './suites/typed-codes.js';
import { uniformity } from './suites/uniformity.js';
import { unverifiedAccounts } from './suites/unverified-accounts.js';
import { usernames } from './suites/usernames.js';

/** A running application; it closes itself after the test. */
export type OpenSite = (options?: SiteOptions) => Promise<Site>;

/** The tests of one subject, on one version of Express, with the parsers of that version. */
export type Suite = (open: OpenSite, express: typeof express5) => void;

interface OpenStorage {
  adapter: StorageAdapter;
  release(): Promise<void>;
}

const versions = [
  { version: 'Express 4', makeApp: express4 },
  { version: 'Express 5', makeApp: express5 },
];

const suites: Suite[] = [
  successResponses,
  refusals,
  refusalReasons,
  cookies,
  sessions,
  remembering,
  sessionLimits,
  accounts,
  guards,
  requestNames,
  ownRoutes,
  bearerTokens,
  bearerSessions,
  staleTabs,
  bodies,
  hostileInput,
  crossSite,
  languages,
  links,
  linksWithCodes,
  linkConfirmation,
  listPages,
  failures,
  typedCodes,
  uniformity,
  identityProvider,
  impersonation,
  secondFactor,
  secondStep,
  proEndpointRefusals,
  strongSignIn,
  passkeys,
  oauth,
  oauthLinking,
  linking,
  passwordRules,
  passwordResetCodes,
  phoneCodes,
  phoneLinks,
  allDevices,
  tokens,
  guests,
  apiKeys,
  admin,
  adminRecords,
  adminOvertaken,
  adminPages,
  signInPages,
  signInPageSteps,
  signInPageMethods,
  signInPageProviders,
  signInPageAttacks,
  adminPageActions,
  adminPageContent,
  adminOverview,
  adminBulk,
  adminExports,
  adminInviteLists,
  orgs,
  orgInvites,
  orgOvertaken,
  accountRefusals,
  accountPassword,
  accountAddress,
  accountRecord,
  accountOvertaken,
  unverifiedAccounts,
  guestUpgrades,
  signInAge,
  usernames,
  signUpWithoutEmail,
  emailRequirement,
  signUpPolicy,
  privateSignUp,
  challenges,
  loginAsSuite,
];

/** Those that run on every storage. */
const firstSuites: readonly Suite[] = [accounts, sessions, tokens, orgs];

/** Two files that run the halves of the suite can run at the same time. */
const parts = {
  all: () => true,
  'first half': (_: Suite, index: number) => index % 2 === 0,
  'second half': (_: Suite, index: number) => index % 2 === 1,
};

/**
 * Runs the first suites, or every suite on a storage that `STORAGES` selects, or that has hostile settings.
 * @param part which of them.
 */
export function describeStorage(
  storage: StorageName,
  openStorage: () => Promise<OpenStorage>,
  part: keyof typeof parts = 'all',
): void {
  const chosen = isHostile || isForEverySuite(storage) ? suites : firstSuites;
  const only = chosen.filter(parts[part]);
  describeMatrix(storage, openStorage, isThorough ? { only } : { only, on: ['Express 5'] });
}

export function describeMatrix(
  storage: string,
  openStorage: () => Promise<OpenStorage>,
  {
    on = versions.map(({ version }) => version),
    only = suites,
  }: { on?: readonly string[]; only?: readonly Suite[] } = {},
): void {
  let opened: OpenStorage;

  beforeAll(async () => {
    opened = await openStorage();
    await opened.adapter.init();
  });

  afterAll(() => opened?.release());

  describe.each(versions.filter(({ version }) => on.includes(version)))(
    `the HTTP routes with $version on ${storage}`,
    ({ makeApp }) => {
      const sites: Site[] = [];

      afterEach(async () => {
        // Closes all of them, even if one fails.
        const results = await Promise.allSettled(sites.splice(0).map((site) => site.close()));
        for (const result of results) if (result.status === 'rejected') throw result.reason;
      });

      const open: OpenSite = async (options) => {
        const site = await openSite(makeApp, opened.adapter, options);
        sites.push(site);
        return site;
      };

      for (const suite of only) suite(open, makeApp);
    },
  );
}
