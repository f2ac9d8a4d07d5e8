/** What the templates of the sections of the account get. Paths are below that of the pages. */
import type { DeviceKind } from '../../domain/signed-in-device.js';
import type { OrgRole } from '../../domain/org.js';
import type { Html } from '../../html/html.js';
import type { AvatarView } from '../../pages-kit/avatar.js';
import type { Texts } from '../texts/texts.js';
import type { TemplatePage } from '../views.js';

/** The sections, in the order of the navigation. */
export const sections = [
  'profile',
  'security',
  'devices',
  'activity',
  'apps',
  'tokens',
  'organizations',
  'data',
] as const;
export type AccountSection = (typeof sections)[number];

/** What the templates of the account know besides. */
export interface AccountTemplatePage extends TemplatePage {
  words: Texts['account'];
  /** The time of the server. */
  now: Date;
  /** The token of the forms of this session, which `accountForm` and `buttonForm` add. */
  accountToken: string;
  /** Names the account, which they add as well: a form can outlive the session that it was shown to. */
  accountMark: string;
  /**
   * Returns whether this session may not open the page, or send the form, at a path: `linkButton` and `buttonForm` are empty then. An
   * administrator who impersonates the user may not change the account.
   */
  isClosed: (path: string) => boolean;
}

export interface AccountFrameView {
  title: string;
  /** The page itself. */
  content: Html;
  /** The name of the user, else the address, the user name or the masked phone number. Null for a guest without a name. */
  user: string | null;
  /** Next to it. */
  avatar: AvatarView | null;
  /** The sections that the navigation shows. */
  sections: readonly AccountSection[];
  /** Null on a page that belongs to none. */
  section: AccountSection | null;
  /** The page above this one. Null on the first page of a section. */
  parent: { label: string; path: string } | null;
  /** Whether the page has lists and needs the whole width. */
  isWide: boolean;
  isImpersonated: boolean;
  /** What is wrong with a form as a whole. */
  problem: string | null;
  /** What has been changed. */
  message: string | null;
  /** What has happened that changed nothing. */
  notice: string | null;
}

/** Above every page of an administrator who acts as a user. */
export interface ImpersonationView {
  /** The address of the user, else the user name. */
  user: string | null;
}

/** The other pages of a list. Null if there is none. */
export interface ListPages {
  next: string | null;
  first: string | null;
}

export interface AccountProfileView {
  /** What others see of the user. */
  person: {
    name: string | null;
    /** The address, else the user name, else the masked phone number. Null for a guest. */
    account: string | null;
    avatar: AvatarView | null;
    canChange: boolean;
  };
  /** Null for a guest. */
  email: {
    address: string | null;
    isVerified: boolean;
    canVerify: boolean;
    canChange: boolean;
    /** An address that was typed in this browser, and whose code has not been entered. */
    pending: string | null;
  } | null;
  /** Null if the account can have none. */
  username: { name: string | null } | null;
  /** The chosen language, in that language. Null if there is no choice. */
  language: { chosen: { tag: string; name: string } | null } | null;
  createdAt: Date;
  /** Null if the user is not a guest. */
  guest: { canUpgrade: boolean } | null;
}

export interface AccountPasskeyView {
  name: string;
  /** Whether it is synchronized now. */
  isSynced: boolean;
  /** Whether it can never be: it is lost with its device. */
  isOneDevice: boolean;
  createdAt: Date;
  lastUsedAt: Date | null;
  /** The browser and the system with which it was used last. */
  client: string | null;
  ip: string | null;
  renamePath: string;
  removePath: string;
}

export interface AccountTwoFactorView {
  isOn: boolean;
  /** The authenticator apps. */
  apps: readonly {
    name: string | null;
    createdAt: Date;
    lastUsedAt: Date | null;
    renamePath: string;
    removePath: string;
  }[];
  canAddApp: boolean;
  /** Codes by email. `address` is null if the account has no verified one. Null if the application offers none. */
  email: { isOn: boolean; address: string | null } | null;
  /** Passkeys as the second step. Null if the application does not allow them. */
  passkeys: { isOn: boolean } | null;
  /** The method that the sign-in asks for first. Null if there is no choice. */
  preferred: string | null;
  recoveryCodes: { left: number; areFew: boolean };
}

/** Each part is null if it is not offered. */
export interface AccountSecurityView {
  /** `canSet` is false without an address. */
  password: { isSet: boolean; canSet: boolean } | null;
  passkeys: readonly AccountPasskeyView[] | null;
  twoFactor: AccountTwoFactorView | null;
  phones: readonly { phone: string; shown: Html; createdAt: Date; removePath: string }[] | null;
  /** The accounts at identity providers, and the providers that are not connected. */
  connected: {
    accounts: readonly { label: string; icon: Html; createdAt: Date; disconnectPath: string }[];
    others: readonly { label: string; icon: Html; connectPath: string }[];
  } | null;
}

export interface AccountAppsView {
  apps: readonly {
    name: string;
    /** Null if it is a program on the user's own device. */
    host: string | null;
    createdAt: Date;
    lastUsedAt: Date | null;
    /** What it may do, in the words of the application. */
    scopes: readonly string[];
    removePath: string;
  }[];
}

export interface AccountDevicesView {
  devices: readonly {
    kind: DeviceKind;
    icon: Html;
    /** The name that the application gave, else the browser and the system. */
    name: string;
    /** The browser and the system, if `name` is another name. */
    client: string | null;
    ip: string | null;
    /** The place of the address, as the application names it. */
    place: string | null;
    isCurrent: boolean;
    /** Whether the session is bound to a key that cannot be copied (`session.bound`). */
    isBound: boolean;
    createdAt: Date;
    lastSeenAt: Date | null;
    /** When the trust in the browser ends. Null without one. */
    trustedUntil: Date | null;
    /** Signs the device out. Null for the one of this request, and for one that is signed out. */
    endPath: string | null;
    /** Ends the trust in the browser. Null without one, and if signing it out does the same. */
    untrustPath: string | null;
  }[];
  /** How many devices can be signed in. */
  limit: number | null;
  /** Whether there are other devices. */
  hasOthers: boolean;
  pages: ListPages;
}

export interface AccountActivityView {
  /** Where the user stops what another person does. Null if the application offers no such page. */
  notYouPath: string | null;
  activity: readonly {
    icon: Html;
    /** What has happened, in the language of the page. */
    title: string;
    /** Whether it was refused, or shows that another person has tried to use the account. */
    isWarning: boolean;
    /** Who acted, in the language of the page. Null if the user did it. */
    by: string | null;
    /** How many attempts it stands for, in the language of the page. Null for a single one. */
    attempts: string | null;
    /** The browser and the system. */
    client: string | null;
    ip: string | null;
    place: string | null;
    at: Date;
  }[];
  pages: ListPages;
}

export interface AccountKeyView {
  name: string;
  prefix: string;
  scopes: readonly string[];
  createdAt: Date;
  lastUsedAt: Date | null;
  expiresAt: Date | null;
  isExpired: boolean;
  revokePath: string;
}

/** Each list is null if it is not offered. */
export interface AccountTokensView {
  keys: { list: readonly AccountKeyView[]; pages: ListPages } | null;
  /** The apps that are signed in, if the devices do not list them. */
  apps: {
    list: readonly {
      name: string;
      icon: Html;
      createdAt: Date;
      lastUsedAt: Date | null;
      signOutPath: string;
    }[];
    pages: ListPages;
  } | null;
}

export interface AccountOrganizationsView {
  /** Whether the user may create organizations. */
  canCreate: boolean;
  organizations: readonly {
    name: string;
    /** What links name it by. */
    slug: string;
    avatar: AvatarView;
    role: OrgRole;
    createdAt: Date;
    path: string;
  }[];
  pages: ListPages;
}

export interface AccountOrganizationView {
  /** The path of the organization, below which the pages of its changes are. */
  path: string;
  name: string;
  /** What links name it by. */
  slug: string;
  avatar: AvatarView;
  /** Null if the user may not change the name and the logo. */
  editPath: string | null;
  /** The role of the user. */
  role: OrgRole;
  /** An only owner cannot leave. */
  isOnlyOwner: boolean;
  members: readonly {
    /** The name, else the address, else “Member”. */
    name: string;
    /** Null if the user may not see it, or it is the name. */
    email: string | null;
    avatar: AvatarView;
    role: OrgRole;
    isSelf: boolean;
    createdAt: Date;
    /** Null if the user may not change the membership. */
    rolePath: string | null;
    removePath: string | null;
  }[];
  memberPages: ListPages;
  canInvite: boolean;
  /** Null if the user may not see them. */
  invites: {
    list: readonly { email: string; role: OrgRole; expiresAt: Date; revokePath: string }[];
    pages: ListPages;
  } | null;
  keys: { list: readonly AccountKeyView[]; pages: ListPages } | null;
}
