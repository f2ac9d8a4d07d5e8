/** The content of an account export. */
import type { PublicApiKey } from './api-key.js';
import { toPublicCredential, type PublicCredential, type StoredCredential } from './credential.js';
import { maskEmailAddress } from './email-address.js';
import type { ServiceIdentity } from './identity.js';
import type { OAuthClient, OAuthGrant } from './oauth-server.js';
import type { OrgInvite, OrgMembership } from './org.js';
import type { RefreshFamily } from './refresh-family.js';
import type { PreferableMethod, SecondFactors } from './second-factor.js';
import type { ServiceSession } from './session.js';
import type { TotpApp, TotpEnrollment } from './totp.js';
import { toPublicTrustedBrowser, type StoredTrustedBrowser, type TrustedBrowser } from './trusted-browser.js';
import type { UserBlock } from './user-block.js';
import type { AdministeredUser } from './user-record.js';
import { toServiceUser, type ServiceUser, type StoredUser } from './user.js';

/** Version 1. Later versions only add fields; existing fields keep their meaning. */
export interface UserDataExport {
  version: 1;
  exportedAt: Date;
  user: ServiceUser;
  /** Whether the account has a password. The hash is not exported. */
  hasPassword: boolean;
  username: string | null;
  /** The id of the user in the application, or in the system that the user was imported from. */
  externalId: string | null;
  /** Roles in the application. */
  roles: string[];
  /**
   * The latest block, also if it has ended. Its reason is not exported: it is for administrators,
   * and can name other people.
   */
  blocked: Pick<UserBlock, 'at' | 'until'> | null;
  lastSignInAt: Date | null;
  /** Language tag of the language that the user has chosen. */
  language: string | null;
  /** Accounts at identity providers, and phone numbers (`provider` is `phone`). */
  identities: ServiceIdentity[];
  passkeys: PublicCredential[];
  /** Whether an authenticator app is enrolled. The secret is not exported. */
  totp: {
    enabledAt: Date | null;
    recoveryCodesLeft: number;
    apps: Pick<TotpApp, 'name' | 'createdAt' | 'lastUsedAt'>[];
    /** Whether the user has chosen codes by email for the second step. */
    email: boolean;
    /** The method that the user prefers for the second step. */
    preferred: PreferableMethod | null;
  };
  /** Browsers in which sign-ins need no second factor. */
  trustedBrowsers: TrustedBrowser[];
  sessions: ServiceSession[];
  /** Refresh token families, without the data that tokens are created from. */
  refreshFamilies: Pick<
    RefreshFamily,
    'id' | 'claims' | 'device' | 'createdAt' | 'expiresAt' | 'revokedAt'
  >[];
  /** What the user has given clients of the OAuth server, without the data that tokens are created from. Newest first. */
  connectedApps: {
    clientId: string;
    /** Null if the client is unknown. */
    name: string | null;
    /** By resource. */
    scopes: Readonly<Record<string, readonly string[]>>;
    createdAt: Date;
    lastUsedAt: Date | null;
    expiresAt: Date;
  }[];
  /** The user's own keys. Keys of organizations are not included. */
  apiKeys: PublicApiKey[];
  memberships: OrgMembership[];
  /**
   * Invites that the user sent (with other users' addresses masked) or received (without the
   * inviter).
   */
  invites: OrgInvite[];
  /** Keyed by the name given to `account.registerUserData`. */
  contributions: Record<string, unknown>;
}

export interface UserRecords {
  exportedAt: Date;
  user: StoredUser;
  /** Null if the adapter does not store what only administrators read. */
  administered: Pick<AdministeredUser, 'lastSignInAt'> | null;
  identities: ServiceIdentity[];
  credentials: StoredCredential[];
  enrollment: TotpEnrollment | null;
  apps: TotpApp[];
  factors: SecondFactors | null;
  trustedBrowsers: StoredTrustedBrowser[];
  sessions: ServiceSession[];
  families: RefreshFamily[];
  grants: { grant: OAuthGrant; client: OAuthClient | null }[];
  keys: PublicApiKey[];
  memberships: OrgMembership[];
  invites: OrgInvite[];
  contributions: Record<string, unknown>;
}

export function toPublicUserData(records: UserRecords): UserDataExport {
  const { user, administered, credentials, enrollment, factors, ...others } = records;
  const { families, grants, keys, invites, apps, trustedBrowsers, ...rest } = others;
  const { blocked } = user;
  return {
    version: 1,
    ...rest,
    user: toServiceUser(user),
    hasPassword: user.passwordHash !== null,
    username: user.username,
    externalId: user.externalId,
    roles: [...user.roles],
    blocked: blocked && { at: blocked.at, until: blocked.until },
    lastSignInAt: administered?.lastSignInAt ?? null,
    language: user.language,
    passkeys: credentials.map(toPublicCredential),
    totp: {
      enabledAt: enrollment?.confirmedAt ?? null,
      recoveryCodesLeft: factors?.recoveryCodes ?? 0,
      apps: apps.map(({ name, createdAt, lastUsedAt }) => ({ name, createdAt, lastUsedAt })),
      email: factors?.email ?? false,
      preferred: factors?.preferred ?? null,
    },
    trustedBrowsers: trustedBrowsers.map(toPublicTrustedBrowser),
    refreshFamilies: families.map(({ id, claims, device, createdAt, expiresAt, revokedAt }) => ({
      id,
      claims,
      device,
      createdAt,
      expiresAt,
      revokedAt,
    })),
    connectedApps: grants.map(({ grant, client }) => {
      const { clientId, scopes, createdAt, lastUsedAt, expiresAt } = grant;
      const name = client?.metadata['client_name'];
      return {
        clientId,
        name: typeof name === 'string' ? name : null,
        scopes,
        createdAt,
        lastUsedAt,
        expiresAt,
      };
    }),
    apiKeys: keys,
    invites: invites.map((invite) => ownView(invite, user)),
  };
}

/** Returns an invite without the personal data of the other user. */
function ownView(invite: OrgInvite, { id, email }: StoredUser): OrgInvite {
  return {
    ...invite,
    email: invite.email === email ? invite.email : maskEmailAddress(invite.email),
    invitedByUserId: invite.invitedByUserId === id ? id : null,
  };
}
