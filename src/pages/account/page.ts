/** What a page of the account is: who may open it, what it shows, and what its forms do. `pages-kit/serve.ts` runs the checks before. */
import type { Actor } from '../../core/sessions/actor.js';
import type { LiveSession } from '../../core/sessions/session-checks.js';
import type { ServiceUser } from '../../domain/user.js';
import type { UserRecord } from '../../domain/user-record.js';
import type { Access } from '../../http/endpoint.js';
import type { Next, View, Visit } from '../page.js';
import type { Texts } from '../texts/texts.js';
import type { Offers } from './offers.js';
import type { AccountSection, AccountTemplatePage } from './views.js';
import type { Attempt } from '../../pages-kit/attempt.js';
import { definePage, type Defined, type FormRule, type PageDefinition } from '../../pages-kit/page.js';

/** A request of a signed-in user. */
export interface AccountVisit
  extends Visit, Pick<AccountTemplatePage, 'accountMark' | 'accountToken' | 'isClosed' | 'now' | 'words'> {
  me: ServiceUser;
  /** Undefined if the session was enough so far. */
  record: UserRecord | undefined;
  /** The address of the user, else the user name. */
  accountName: string | null;
  session: LiveSession;
  /** The session token of the request. */
  token: string;
  /** A part of the path: `:id`. */
  param: (name: string) => string;
  /** For methods that take an acting user. */
  actor: Required<Actor>;
  /** Whether an administrator impersonates the user. */
  isImpersonated: boolean;
  /** Whether the sign-in is recent enough for changes that a forgotten session must not make. */
  isRecent: boolean;
}

/** A request that a page responds to, with what the pages show of the user. */
export interface ShownVisit extends AccountVisit {
  record: UserRecord;
}

/** The page above another one: its title, and its path below that of the account. */
export interface ParentPage {
  label: string;
  path: string;
}

export interface AccountView extends View {
  /** Absent on the first page of a section. */
  parent?: ParentPage;
  /** Whether the page has lists, and is as wide as the first page of a section. */
  isWide?: boolean;
  /** `card` is the frame of the sign-in pages. */
  frame?: 'account' | 'card';
  /** What has happened that changed nothing. */
  notice?: string;
  /** Whether the page belongs to no section, as one at an unknown address. */
  isOutside?: boolean;
}

/** Of the pages of a signed-in user. */
export type AccountAccess = Exclude<Access, 'open'>;

/** A file that the browser saves. */
export interface Download {
  fileName: string;
  type: string;
  content: string;
}

export function isDownload(result: AccountView | Next | Download): result is Download {
  return 'fileName' in result;
}

export interface AccountForm extends FormRule {
  /** That of the JSON route with the same effect. */
  access: AccountAccess;
  /** Makes the change: one call of the service. @throws FieldError for a wrong value. */
  submit(values: URLSearchParams, visit: AccountVisit): Promise<Next | AccountView | Download>;
}

export interface AccountPageDefinition extends PageDefinition<AccountForm> {
  section: AccountSection;
  /** Below the path of the account, in Express syntax. */
  path: string;
  /** Asked when the page is opened, so that nothing that is typed into its forms is lost. */
  access: AccountAccess;
  isOffered(offers: Offers): boolean;
  /** Whether guests may open the page. Default false: they have no way to sign in again. */
  forGuests?: boolean;
  /** Returns whether `recent` needs no recent sign-in of this user. */
  isExemptFromReauth?: (me: ServiceUser, offers: Offers) => Promise<boolean>;
  show(visit: ShownVisit, attempt: Attempt | null): AccountView | Next | Promise<AccountView | Next>;
}

export type AccountPage = Defined<AccountPageDefinition>;
export const defineAccountPage = definePage<AccountPageDefinition>;

/** Returns a path below that of the pages. */
export function at({ paths }: Pick<Visit, 'paths'>, path: string): string {
  return paths.account + path;
}

/** Continues at a page of the account, with a message about the change. */
export function done(visit: Visit, path: string, message?: keyof Texts['account']['done']): Next {
  return { to: at(visit, path) + (message === undefined ? '' : `?done=${message}`) };
}

/** The message of a request. The address has a code and the page the text, so that no link makes the page say what its author wants. */
export function messageOf({ offers, query, words }: AccountVisit): Message | null {
  const code = query.get('done') ?? '';
  if (Object.hasOwn(words.done, code))
    return { text: words.done[code as keyof typeof words.done], isNeutral: false };
  const { label } = offers.providers.find(({ id }) => id === query.get('provider')) ?? {};
  const { canceled, done: connected, failed, taken } = words.connected;
  const outcomes: Record<string, (provider: string) => string> = {
    connected,
    connectCanceled: canceled,
    connectFailed: failed,
    connectTaken: taken,
  };
  if (label === undefined || !Object.hasOwn(outcomes, code)) return null;
  return { text: outcomes[code]!(label), isNeutral: code !== 'connected' };
}

/** What a change has done. `isNeutral`: nothing was changed. */
export interface Message {
  text: string;
  isNeutral: boolean;
}

/** The address, or else the user name. Null for a user who has neither. */
export function nameOf({ email, username }: Pick<UserRecord, 'email' | 'username'>): string | null {
  return email ?? username;
}

/** Returns a path with a value for each of its parameters. */
export function filled(path: string, param: (name: string) => string): string {
  return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(param(name)));
}

/** As `filled`, for a path with one parameter. */
export function pathOf(path: string, id: string): string {
  return filled(path, () => id);
}
