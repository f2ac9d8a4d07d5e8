/** The other methods of a sign-in, below the form of one. */
import { html, type Html } from '../../html/html.js';
import { form } from '../form.js';
import type { FirstMethod } from '../options.js';
import { goTo, type Page, type Visit } from '../page.js';
import { beginWith, methodsOf } from './methods.js';

/** A button for each of the other configured methods. */
export function otherMethods(visit: Visit, current: FirstMethod): Html | false {
  const { features, firstMethod, paths, texts } = visit;
  const labels = {
    password: texts.signIn.usePassword,
    code: texts.signIn.emailCode,
    link: texts.signIn.emailLink,
  };
  const others = methodsOf(features, firstMethod).filter((method) => method !== current);
  return (
    others.length > 0 &&
    html`<div class="others">
      ${others.map((method) =>
        form(visit, {
          action: `${paths.signIn}/${current}/use-${method}`,
          submit: labels[method],
          kind: 'plain',
        }),
      )}
    </div>`
  );
}

/** The forms of the buttons. */
export function otherMethodForms(current: FirstMethod): NonNullable<Page['forms']> {
  const others = (['password', 'code', 'link'] as const).filter((method) => method !== current);
  return Object.fromEntries(
    others.map((method) => [
      `use-${method}`,
      async (_values: URLSearchParams, visit: Visit) => {
        const { email } = visit.flow;
        const isOffered = methodsOf(visit.features, visit.firstMethod).includes(method);
        return email === undefined || !isOffered ? goTo(visit.paths.signIn) : beginWith(method, email, visit);
      },
    ]),
  );
}
