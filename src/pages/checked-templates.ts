/**
 * The templates of an application, checked when they first render with a kind of view: an error names the template and what is missing,
 * instead of a form that fails when a user sends it. Later pages cost no check. Templates of the package are not checked.
 */
import { html, Html } from '../html/html.js';
import { tokenField } from '../pages-kit/session-form.js';
import type { AccountTemplatePage } from './account/views.js';
import { namesIn, templateParts, type TemplatePart } from './template-parts.js';
import type { Templates } from './templates.js';
import type { TemplatePage } from './views.js';

/** What is wrong with a template of the application. */
export class TemplateError extends Error {
  constructor(name: string, problem: string, options?: ErrorOptions) {
    super(`The template ${name} (${fileOf(name)}) ${problem}`, options);
    this.name = 'TemplateError';
  }
}

type Page = TemplatePage & Partial<Pick<AccountTemplatePage, 'accountToken'>>;
type Template = (page: Page, view: unknown) => unknown;

export function checkedTemplates(own: Partial<Templates>): Partial<Templates> {
  return Object.fromEntries(
    Object.entries(own).map(([name, template]) => [name, checked(name, template as Template)]),
  );
}

/** The file that `svc-auth pages eject` writes it to, without its ending. */
function fileOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function checked(name: string, template: Template): Template {
  const partsOf = templateParts[name as keyof Templates] as (page: Page, view: unknown) => TemplatePart[];
  const passed = new Set<string>();
  return (page, view) => {
    const markup = rendered(name, template, page, view);
    const parts = partsOf(page, view);
    const kind = kindOf(parts);
    if (passed.has(kind)) return markup;
    for (const part of parts) {
      const problem = absence(part, markup, page);
      if (problem !== null) throw new TemplateError(name, problem);
    }
    for (const form of formsIn(markup).filter((each) => isOurs(each, page)))
      if (!hasToken(form, page))
        throw new TemplateError(
          name,
          `has a form for ${form.action} without the field ${tokenField} of this page. Write it with ${
            page.accountToken === undefined ? 'form' : 'accountForm or buttonForm'
          }.`,
        );
    passed.add(kind);
    return markup;
  };
}

/** Names what a view asks of its template. The paths of forms are left out, because they contain ids: the kinds of a template are few. */
function kindOf(parts: readonly TemplatePart[]): string {
  return parts
    .map((part) =>
      'form' in part ? part.fields.join() : 'property' in part ? part.property : part.attribute,
    )
    .join(';');
}

function rendered(name: string, template: Template, page: Page, view: unknown): Html {
  let markup: unknown;
  try {
    markup = template(page, view);
  } catch (error) {
    // A frame renders other templates as its content before: their errors have a name.
    const message = error instanceof Error ? error.message : String(error);
    throw new TemplateError(name, `failed: ${message}`, { cause: error });
  }
  if (markup instanceof Html) return markup;
  throw new TemplateError(name, 'must return markup of the tag html that svc-auth/pages exports.');
}

/** Returns what is wrong with a part; null if it is there. */
function absence(part: TemplatePart, markup: Html, page: Page): string | null {
  if ('attribute' in part)
    return markup.text.includes(part.attribute)
      ? null
      : `lacks the attribute ${part.attribute}, which the script of the pages looks for.`;
  if ('property' in part)
    return markup.text.includes(part.text) ? null : `lacks ${part.property} of its view.`;
  const action = asAttribute(page.base + part.form);
  const own = formsIn(markup).filter((form) => form.action === action);
  if (own.length === 0) return `lacks the form for ${action}.`;
  const missing = part.fields.find((field) => !own.some(({ names }) => names.includes(field)));
  return missing === undefined ? null : `lacks the field ${missing} in the form for ${action}.`;
}

/** As the tag `html` writes it. */
function asAttribute(value: string): string {
  return html`${value}`.text;
}

function isBelow(action: string, path: string): boolean {
  return `${action}/`.startsWith(`${asAttribute(path)}/`);
}

interface Form {
  text: string;
  action: string;
  names: string[];
}

function formsIn({ text }: Html): Form[] {
  return (text.match(/<form\b[^]*?(?:<\/form>|$)/g) ?? []).map((form) => ({
    text: form,
    action: /^<form[^>]*\saction="([^"]*)"/.exec(form)?.[1] ?? '',
    names: namesIn(form),
  }));
}

/** A form for a route of the application needs no token of the pages. */
function isOurs({ action, text }: Form, { base, paths }: Page): boolean {
  const isPost = /^<form[^>]*\smethod="?post/i.test(text);
  return isPost && Object.values(paths).some((path: string) => isBelow(action, base + path));
}

/** The forms of a signed-in user have the token of the session; the menu of languages has that of the browser. */
function hasToken({ action, text }: Form, { accountToken, base, flow, paths }: Page): boolean {
  const isOfAccount = isBelow(action, base + paths.account);
  const token = isOfAccount ? accountToken : flow.formToken;
  return token !== undefined && text.includes(`name="${tokenField}"`) && text.includes(`value="${token}"`);
}
