/**
 * What a page of the administration is: who may see it, what it shows, and what its form does. `pages-kit/serve.ts` runs the checks before
 * its functions.
 */
import type { Request, Response } from 'express';
import type { AdministrativeChange } from '../core/sessions/change-by.js';
import type { RequestContext } from '../core/sessions/request-context.js';
import type { LiveSession } from '../core/sessions/session-checks.js';
import type { Service } from '../engine/service.js';
import type { ServiceUser } from '../domain/user.js';
import type { Html, Value } from '../html/html.js';
import type { AdminAction } from '../http/admin-permission.js';
import type { Attempt } from '../pages-kit/attempt.js';
import { definePage, type Defined, type FormRule, type PageDefinition } from '../pages-kit/page.js';
import type { Assets } from './assets.js';
import type { AdminLanguage } from './language.js';
import type { Settings } from './options.js';

/** A request that has passed the checks. */
export interface Call extends Settings, AdminLanguage {
  req: Request;
  res: Response;
  assets: Assets;
  /** The IANA name of the time zone of the viewer. */
  zone: string;
  /** The path at which the pages are mounted, without a slash at the end. */
  base: string;
  /** The administrator. */
  me: ServiceUser;
  session: LiveSession;
  /** The session token of the request. */
  token: string;
  /** The token that every form of this session contains. */
  formToken: string;
  query: URLSearchParams;
  /** The id of the user in the path; empty if the path has none. */
  userId: string;
  param: (name: string) => string;
  /** Returns whether `authorize` allows an action on the user in the path. */
  can: (action: AdminAction) => Promise<boolean>;
  /** Whether the navigation leads to the overview. */
  showsOverview: boolean;
  /** Whether the navigation leads to the clients of the OAuth server. */
  showsClients: boolean;
  /** Whether the navigation leads to the audit log. */
  showsAudit: boolean;
  /** The last argument of a change of the administrator's own account. */
  context: RequestContext;
  /** The last argument of every other change: the administrator is its actor. */
  by: AdministrativeChange;
}

/** What the layout shows. */
export interface View {
  title: string;
  /** The links above the title, from the list of users to this page. */
  trail?: readonly { label: string; path: string }[];
  body: Html;
  status?: number;
  /** Default: the users. */
  section?: 'audit' | 'clients' | 'overview';
  width?: 'narrow';
  /** Whether the page is one message, without the header. */
  isNotice?: boolean;
}

/** What a link of a page downloads. */
export interface Download {
  file: { name: string; type: string; content: string | AsyncIterable<string> };
}

export interface AdminForm extends FormRule {
  action: AdminAction | null;
  /**
   * Makes the change: one call of the service. Returns the path to continue at: below that of the pages, or `outside` of them; or a page
   * with what is shown once.
   * @throws FieldError for a wrong value.
   */
  submit(form: URLSearchParams, call: Call): Promise<string | { outside: string } | View>;
}

export interface AdminPage extends PageDefinition<AdminForm> {
  path: string;
  /** Null for the page of an impersonation, which every session may open. */
  action: AdminAction | null;
  /** Returns whether the page exists with what the application has. Default: it does. */
  isOffered?: (service: Service) => boolean;
  /** @param attempt the form that was refused. */
  show(call: Call, attempt: Attempt | null): Promise<View | Download | { to: string }>;
}

export type Page = Defined<AdminPage>;
export const defineAdminPage = definePage<AdminPage>;

export interface FormView {
  title: string;
  trail: View['trail'];
  /** What happens, in one or two sentences. */
  lead?: Value;
  /** A warning above the form. */
  warning?: Value;
  fields?: readonly Value[];
  /** The label of the button: a verb and its object. */
  submit: string;
  isDestructive?: boolean;
  /** The path to return to without a change. */
  back: string;
}
