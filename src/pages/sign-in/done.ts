/** Where sign-ins with a link or an identity provider end: it forwards to the page that was asked for. */
import { isPath } from '../paths.js';
import { definePage } from '../page.js';
import { leave } from './arrive.js';
import { stateOf } from './methods.js';

export const donePage = definePage({
  path: ({ signIn }) => `${signIn}/done`,
  access: 'open',
  isOffered: () => true,
  show(visit) {
    // The identity provider returns it: another tab may have replaced the page in the cookie.
    const state = visit.query.get('state');
    const { flow } = visit;
    if (isPath(state)) flow.next = state;
    else if (state !== null && state !== stateOf(flow.next ?? '')) delete flow.next;
    return leave(visit);
  },
});
