/** What a page of the sign-in is: what it shows, and what its forms do. `pages-kit/serve.ts` runs the checks before its functions. */
import type { Request, Response } from 'express';
import type { RequestContext } from '../core/sessions/request-context.js';
import type { LiveSession } from '../core/sessions/session-checks.js';
import type { Access } from '../http/endpoint.js';
import type { Html } from '../html/html.js';
import type { Offers } from './account/offers.js';
import type { Features } from './features.js';
import type { Flow } from './flow.js';
import type { Settings } from './options.js';
import type { Paths } from './paths.js';
import type { Texts } from './texts/texts.js';
import type { Attempt } from '../pages-kit/attempt.js';
import { definePage as define, type Defined, type FormRule, type PageDefinition } from '../pages-kit/page.js';

/** A request to a page, before anything is checked. */
export interface Entry extends Settings {
  req: Request;
  res: Response;
  /** The path at which the pages are mounted, without a slash at the end. */
  base: string;
  /** The language tag of the page. */
  language: string;
  texts: Texts;
  features: Features;
  offers: Offers;
  flow: Flow;
  /** Stores a change of the flow with the response. */
  keep(change: Partial<Flow>): void;
  query: URLSearchParams;
}

/** A request that has passed the checks. */
export interface Visit extends Entry {
  /** For the methods of the service. */
  context: RequestContext;
}

export interface View {
  title: string;
  /** The content of the card. */
  body: Html;
  status?: number;
  /** The URL of another site at which the browser continues. Not a redirect: the policy of the pages refuses one after a form. */
  leaveFor?: string;
}

/** A path below that of the pages, or one of the application. */
export interface Next {
  to: string;
  isOutside?: boolean;
  /** Whether the browser sends the form there again (307). */
  repeatsForm?: boolean;
}

/** The browser creates or uses a passkey, and sends the form again with it. */
export interface Ceremony {
  ceremony: 'create' | 'get';
  /** For `navigator.credentials`. */
  options: unknown;
}

export function isCeremony(result: Next | Ceremony): result is Ceremony {
  return 'ceremony' in result;
}

/** Ends a function of a page with a redirect. */
export function goTo(to: string): Next {
  return { to };
}

export function isNext(result: object): result is Next {
  return 'to' in result;
}

/** A request of a form that acts for the session of the browser. */
export interface SessionVisit extends Visit {
  session: LiveSession;
}

/** A form that anyone may send. */
export interface OpenForm extends FormRule {
  access: 'open';
  /** @param guest with `ofGuest`: the session of the guest, if the browser has one. */
  submit(values: URLSearchParams, visit: Visit, guest: SessionVisit | null): Promise<Next | Ceremony>;
}

/** A form that acts for the session of the browser. Without one, its page is shown, which leads to the sign-in. */
export interface SessionForm extends FormRule {
  /** That of the JSON route with the same effect. */
  access: Exclude<Access, 'open'>;
  submit(values: URLSearchParams, visit: SessionVisit): Promise<Next | Ceremony>;
}

export type PageForm = OpenForm | SessionForm;

export interface SignInPage extends PageDefinition<PageForm> {
  path(paths: Paths): string;
  /** Returns whether the page exists with what is configured. */
  isOffered(features: Features): boolean;
  show(visit: Visit, attempt: Attempt | null): View | Next | Promise<View | Next>;
}

export type Page = Defined<SignInPage>;
export const definePage = define<SignInPage>;
