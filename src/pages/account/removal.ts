/** The page that asks before one thing ends: a passkey, a device, a key, a membership. Its form is the confirmation. */
import type { Next } from '../page.js';
import { changeBody } from './change.js';
import type { Offers } from './offers.js';
import {
  at,
  defineAccountPage,
  filled,
  type AccountAccess,
  type AccountPage,
  type AccountVisit,
  type ParentPage,
  type ShownVisit,
} from './page.js';
import { notFoundView } from './refusal-views.js';
import type { AccountSection } from './views.js';

interface Words {
  title: string;
  lead: string;
  submit: string;
}

interface Removal {
  section: AccountSection;
  path: string;
  access: AccountAccess;
  forGuests?: boolean;
  isOffered: (offers: Offers) => boolean;
  words: (visit: AccountVisit) => Words | Promise<Words>;
  /** The page to return to, below the path of the account, and its title. */
  parent: (visit: AccountVisit) => ParentPage | Promise<ParentPage>;
  /** Returns the name of the thing; null if it needs none, and undefined if it does not exist. */
  find: (visit: ShownVisit) => Promise<string | null | undefined>;
  /** Makes the change: one call of the service. */
  remove: (visit: AccountVisit) => Promise<Next>;
}

export function removal({ words, parent, find, remove, ...page }: Removal): AccountPage {
  return defineAccountPage({
    ...page,
    async show(visit) {
      const name = await find(visit);
      if (name === undefined) return notFoundView(visit);
      const { title, lead, submit } = await words(visit);
      const above = await parent(visit);
      const form = {
        action: at(visit, filled(page.path, visit.param)),
        submit,
        kind: 'danger',
        cancel: at(visit, above.path),
      } as const;
      const body = changeBody(visit, { subject: name, lead, form });
      return { title, parent: above, body };
    },
    forms: { '': { access: page.access, submit: (_values, visit) => remove(visit) } },
  });
}
