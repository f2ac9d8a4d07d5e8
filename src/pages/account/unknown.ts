/** Every other address below that of the account. */
import { defineAccountPage } from './page.js';
import { notFoundView } from './refusal-views.js';

export const unknownPage = defineAccountPage({
  section: 'profile',
  path: '/*',
  access: 'session',
  forGuests: true,
  isOffered: () => true,
  show: notFoundView,
  forms: { '': { access: 'session', submit: async (_values, visit) => notFoundView(visit) } },
});
