/** The content of a page that makes one change. */
import type { Html } from '../../html/html.js';
import type { AccountVisit } from './page.js';
import type { AccountChangeView } from './change-views.js';

type Change = Partial<AccountChangeView> & Pick<AccountChangeView, 'form'>;

export function changeBody(visit: AccountVisit, change: Change): Html {
  const nothing = { subject: null, lead: null, note: null, details: null, below: null };
  return visit.templates.accountChange(visit, { ...nothing, ...change });
}
