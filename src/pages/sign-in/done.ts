/** Where sign-ins with a link or an identity provider end: it forwards to the page that was asked for. */
import { isPath } from '../options.js';
import type { Page } from '../page.js';
import { leave } from './arrive.js';

export const donePage: Page = {
  path: ({ signIn }) => `${signIn}/done`,
  isOffered: () => true,
  show(visit) {
    // The identity provider returns it: another tab may have replaced the page in the cookie.
    const state = visit.query.get('state');
    if (isPath(state)) visit.flow.next = state;
    return leave(visit);
  },
};
