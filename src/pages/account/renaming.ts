/** The page that gives one thing another name: a passkey, an authenticator app. */
import { input } from '../../pages-kit/fields.js';
import { attempted } from '../form.js';
import type { Next } from '../page.js';
import { changeBody } from './change.js';
import type { Offers } from './offers.js';
import {
  at,
  defineAccountPage,
  filled,
  type AccountPage,
  type AccountVisit,
  type ShownVisit,
} from './page.js';
import { notFoundView } from './refusal-views.js';
import type { AccountSection } from './views.js';

interface Renaming {
  section: AccountSection;
  path: string;
  isOffered: (offers: Offers) => boolean;
  title: (visit: AccountVisit) => string;
  /** The page to return to, below the path of the account, and its title. */
  parent: (visit: AccountVisit) => { label: string; path: string };
  /** Returns the current name, which may be empty. Undefined if the thing does not exist. */
  find: (visit: ShownVisit) => Promise<string | undefined>;
  /** Makes the change: one call of the service. */
  rename: (visit: AccountVisit, name: string) => Promise<Next>;
}

export function renaming({ title, parent, find, rename, ...page }: Renaming): AccountPage {
  const access = 'no-impersonation';
  return defineAccountPage({
    ...page,
    access,
    async show(visit, attempt) {
      const { words } = visit;
      const name = await find(visit);
      if (name === undefined) return notFoundView(visit);
      const above = parent(visit);
      const body = changeBody(visit, {
        form: {
          action: at(visit, filled(page.path, visit.param)),
          fields: input({ ...attempted(attempt, 'name', name), label: words.name, maxLength: 100 }),
          submit: words.save,
          cancel: at(visit, above.path),
        },
      });
      return { title: title(visit), parent: above, body };
    },
    forms: {
      '': { access, submit: (values, visit) => rename(visit, (values.get('name') ?? '').trim()) },
    },
  });
}
