/** What every page states: its path, who may open it, what it shows, and what its forms do. `serve.ts` runs the checks. */
import type { AdminAction } from '../http/admin-permission.js';
import type { Access } from '../http/endpoint.js';

/** Who may open a page, or submit a form. */
export interface PageRule {
  access: Access;
  /** The action that `authorize` of the admin pages must allow. */
  action?: AdminAction | null;
}

export interface FormRule extends PageRule {
  /** The access if an open form acts for the guest of the browser, if there is one: that of the JSON route which upgrades guests. */
  ofGuest?: Exclude<Access, 'open'>;
}

export interface PageDefinition<Form extends FormRule = FormRule> extends PageRule {
  /** The forms of the page, by the path below that of the page. The empty path is the page itself. */
  forms?: Readonly<Record<string, Form>>;
}

declare const defined: unique symbol;
/** A page whose marks were checked: the router of the pages takes no other. */
export type Defined<Page> = Page & { readonly [defined]: true };

/** From the weakest to the strongest. */
const accesses: readonly Access[] = ['open', 'session', 'no-impersonation', 'recent'];

/**
 * Defines a page. The compiler, and this function when the module is loaded, refuse one that does not state who may open it and submit each
 * of its forms.
 * @throws Error
 */
export function definePage<Page extends PageDefinition>(page: Page): Defined<Page> {
  for (const { access } of [page, ...Object.values(page.forms ?? {})])
    if (!accesses.includes(access)) throw new Error('A page and each of its forms must state its access.');
  return page as Defined<Page>;
}

/** Returns whether a form may let callers in that its page does not. */
export function isWeaker(form: PageRule, page: PageRule): boolean {
  const isOtherAction = (form.action ?? null) !== (page.action ?? null);
  return isOtherAction || accesses.indexOf(form.access) < accesses.indexOf(page.access);
}
