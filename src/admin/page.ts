/**
 * What a page of the administration is: who may see it, what it shows, and what its form does. `serve.ts` runs the checks before the
 * functions of a page.
 */
import type { Request, Response } from 'express';
import type { AdministrativeChange } from '../core/sessions/change-by.js';
import type { LiveSession } from '../core/sessions/session-checks.js';
import type { ServiceUser } from '../domain/user.js';
import type { Html } from '../html/html.js';
import type { AdminAction } from '../http/admin-permission.js';
import type { Access } from '../http/endpoint.js';
import type { Assets } from './assets.js';
import type { Settings } from './options.js';
import type { Attempt } from '../pages-kit/attempt.js';

/** A request that has passed the checks. */
export interface Call extends Settings {
  req: Request;
  res: Response;
  assets: Assets;
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
  /** The last argument of every change: the administrator is its actor. */
  by: AdministrativeChange;
}

/** What the layout shows. */
export interface View {
  title: string;
  /** The links above the title, from the list of users to this page. */
  trail?: readonly { label: string; path: string }[];
  body: Html;
  status?: number;
  width?: 'narrow';
}

/** A page without a form that changes something. */
export interface ShowPage {
  kind: 'show';
  path: string;
  access: Access;
  action: AdminAction;
  show(call: Call): Promise<View>;
}

/** A form, which is also the confirmation of what it does. It posts to its own path. */
export interface FormPage<Subject = unknown> {
  kind: 'form';
  path: string;
  /** Checked when the form is opened too, so that nothing that was typed into it is lost. */
  access: Access;
  action: AdminAction;
  /** Reads what the form is about: one call of the service. */
  read(call: Call): Promise<Subject>;
  view(subject: Subject, call: Call, attempt: Attempt | null): FormView;
  /**
   * Makes the change: one call of the service. Returns the path to continue at: below that of the pages, or `outside` of them.
   * @throws FieldError for a wrong value.
   */
  submit(form: URLSearchParams, call: Call): Promise<string | { outside: string }>;
}

export interface FormView {
  title: string;
  trail: View['trail'];
  /** What happens, in one or two sentences. */
  lead?: Html | string;
  /** A warning above the form. */
  warning?: Html | string | false;
  fields?: readonly Html[];
  /** The label of the button: a verb and its object. */
  submit: string;
  isDestructive?: boolean;
  /** The path to return to without a change. */
  back: string;
}

export type Page = ShowPage | FormPage;

/** Types the subject of a form; the table of pages forgets it. Every form is a change as those of the admin router, and has their access. */
export function formPage<Subject>(page: Omit<FormPage<Subject>, 'kind' | 'access'>): FormPage {
  return { kind: 'form', access: 'recent', ...page };
}
