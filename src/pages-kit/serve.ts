/**
 * Serves the pages of the sign-in, of the account and of the administration: the checks before a page is shown, or one of its forms does
 * something, in one order, which is that of the routes (`http/admit.ts`).
 */
import type { NextFunction, Request, Response } from 'express';
import type { RouteCheck } from '../core/sessions/request-context.js';
import { internals } from '../core/internals.js';
import type { Service } from '../engine/service.js';
import { requirePermission, type Authorize } from '../http/admin-permission.js';
import { admit } from '../http/admit.js';
import type { Authenticated } from '../http/authenticate.js';
import { checkOrigin } from '../http/origin-check.js';
import { createFormReader } from '../http/request-body.js';
import type { Attempt } from './attempt.js';
import { isWeaker, type Defined, type FormRule, type PageDefinition, type PageRule } from './page.js';
import type { PageRoute } from './page-router.js';

/** A request, before anything is checked. */
export interface Entered {
  req: Request;
  res: Response;
}

/** The pages of one router: what they show and where they lead. What is checked, and when, is not theirs. */
export interface PageFamily<
  Form extends FormRule,
  Page extends PageDefinition<Form>,
  Entry extends Entered,
  Visit,
  Result,
> {
  service: Service;
  freshMs: number;
  /** For pages with an `action`: without it, they refuse every caller. */
  authorize?: Authorize;
  /** The limit of a form. */
  formLimit?: string;
  /** In Express syntax. */
  pathOf(page: Page): string;
  /** Whether the page exists with what is configured. */
  isOffered(page: Page): boolean;
  /** Sets the headers of a page and reads the request. */
  enter(req: Request, res: Response): Entry | Promise<Entry>;
  /** Returns the session for which a page or a form acts; null without one. Not asked for open pages and forms. */
  sessionOf(entry: Entry, rule: FormRule): Promise<Authenticated | null>;
  /** Responds to a browser that needs a session. Without this function, the page is shown to it. @param values of a form. */
  askToSignIn?(page: Page, entry: Entry, values?: URLSearchParams): void;
  /** Whether this user needs no recent sign-in for the page and its forms. */
  isExempt?(page: Page, caller: Authenticated): Promise<boolean>;
  /** Returns what a page needs to know of its caller, whose access has been checked. */
  visit(entry: Entry, caller: Authenticated | null, check: RouteCheck | undefined): Visit | Promise<Visit>;
  /** @param attempt the form that was refused. Without errors: it acts for a session, and the browser has none. */
  show(page: Page, visit: Visit, attempt: Attempt | null): Promise<void>;
  /** Checks that a form was shown to this browser or session, and that it can be read. */
  checkForm(values: URLSearchParams, visit: Visit): void;
  submit(form: Form, values: URLSearchParams, visit: Visit): Promise<Result>;
  respond(page: Page, visit: Visit, result: Result): Promise<void>;
  /** Responds to a form that the page does not show again. Returns false if it does. */
  challenge?(error: unknown, visit: Visit, values: URLSearchParams): boolean;
  /** Returns what the page says about a refused form. Null if the error is about the session or the request. */
  attemptOf(error: unknown, visit: Visit, values: URLSearchParams): Attempt | null;
  /** Responds to an error about the session. Returns false if it is another. */
  refuse?(error: unknown, page: Page, entry: Entry, rule: PageRule): boolean;
  /** Responds to a reload after a form, which asks for its path with GET. */
  reload?(page: Page, entry: Entry): void;
}

/** Returns the routes of the pages: GET shows a page, and POST submits one of its forms. */
export function pageRoutes<
  Form extends FormRule,
  Page extends PageDefinition<Form>,
  Entry extends Entered,
  Visit,
  Result,
>(pages: readonly Defined<Page>[], family: PageFamily<Form, Page, Entry, Visit, Result>): PageRoute[] {
  const { service, freshMs, authorize } = family;
  const readForm = createFormReader(family.formLimit);
  // A page with the path of a form is shown to its GET. What is for every path below another one is last.
  const routes = [...pages.flatMap(routesOf), ...pages.flatMap(reloadsOf)];
  const isRest = ({ path }: PageRoute) => path.endsWith('/*');
  return [...routes.filter((each) => !isRest(each)), ...routes.filter(isRest)];

  function routesOf(page: Page): PageRoute[] {
    const path = family.pathOf(page);
    return [
      { method: 'GET', path, handle: (req, res, pass) => open(page, req, res, pass) },
      ...Object.entries(page.forms ?? {}).map(([name, form]): PageRoute => ({
        method: 'POST',
        path: name === '' ? path : `${path}/${name}`,
        handle: (req, res, pass) => send(page, form, req, res, pass),
      })),
    ];
  }

  function reloadsOf(page: Page): PageRoute[] {
    return Object.keys(page.forms ?? {})
      .filter((name) => name !== '')
      .map((name) => ({
        method: 'GET',
        path: `${family.pathOf(page)}/${name}`,
        handle: async (req, res) => family.reload?.(page, await family.enter(req, res)),
      }));
  }

  async function open(page: Page, req: Request, res: Response, pass: NextFunction): Promise<void> {
    if (!family.isOffered(page)) return pass();
    const entry = await family.enter(req, res);
    try {
      const admitted = await check(page, page, entry);
      if (admitted) await family.show(page, admitted.visit, null);
    } catch (error) {
      if (!family.refuse?.(error, page, entry, page)) throw error;
    }
  }

  async function send(
    page: Page,
    form: Form,
    req: Request,
    res: Response,
    pass: NextFunction,
  ): Promise<void> {
    if (!family.isOffered(page)) return pass();
    const entry = await family.enter(req, res);
    try {
      checkOrigin(service[internals], req);
      const admitted = await check(page, form, entry, () => readForm(req, res));
      if (admitted?.values) await act(page, form, entry, admitted, admitted.values);
    } catch (error) {
      if (!family.refuse?.(error, page, entry, form)) throw error;
    }
  }

  /** Null if the browser has been asked to sign in. */
  async function check(page: Page, rule: FormRule, entry: Entry, read?: () => Promise<URLSearchParams>) {
    const { access: stated, ofGuest, action } = rule;
    const isOpen = stated === 'open' && ofGuest === undefined;
    const caller = isOpen ? null : await family.sessionOf(entry, rule);
    const lacksSession = stated !== 'open' && caller === null;
    if (lacksSession && family.askToSignIn) {
      family.askToSignIn(page, entry, await read?.());
      return null;
    }
    const { req } = entry;
    const { check: routeCheck, body: values } = await admit(
      service,
      req,
      caller,
      {
        access: ofGuest ?? stated,
        freshMs,
        permission: action
          ? (session) =>
              requirePermission(service, authorize, action, session, String(req.params['id'] ?? ''))
          : undefined,
        isExempt: async () => caller !== null && (await family.isExempt?.(page, caller)) === true,
      },
      read,
    );
    return { lacksSession, values, visit: await family.visit(entry, caller, routeCheck) };
  }

  async function act(
    page: Page,
    form: Form,
    entry: Entry,
    { lacksSession, visit }: { lacksSession: boolean; visit: Visit },
    values: URLSearchParams,
  ): Promise<void> {
    try {
      family.checkForm(values, visit);
      // A form that acts for a session never runs without one.
      if (lacksSession) return await family.show(page, visit, { values, errors: new Map() });
      await family.respond(page, visit, await family.submit(form, values, visit));
    } catch (error) {
      if (family.challenge?.(error, visit, values)) return;
      const attempt = family.attemptOf(error, visit, values);
      if (!attempt) throw error;
      // The page may need more than its form did.
      const shown = isWeaker(form, page) ? (await check(page, page, entry))?.visit : visit;
      if (shown !== undefined) await family.show(page, shown, attempt);
    }
  }
}
