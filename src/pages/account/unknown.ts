/** Every other address below that of the account. */
import { defineAccountPage, type AccountView, type AccountVisit } from './page.js';
import { notFoundView } from './refusal-views.js';

export const unknownPage = defineAccountPage({
  section: 'profile',
  path: '/*',
  access: 'session',
  forGuests: true,
  isOffered: () => true,
  show: viewOf,
  forms: { '': { access: 'session', submit: async (_values, visit) => viewOf(visit) } },
});

function viewOf(visit: AccountVisit): AccountView {
  return { ...notFoundView(visit), isOutside: true };
}
