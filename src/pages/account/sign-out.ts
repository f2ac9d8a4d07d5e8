/** The button in the header that ends the session of this browser. */
import { endBrowserSession } from '../../http/signed-in.js';
import { defineAccountPage, done } from './page.js';

export const signOutPage = defineAccountPage({
  section: 'profile',
  path: '/sign-out',
  access: 'session',
  forGuests: true,
  isOffered: () => true,
  // Opened with the address bar, or by Back: a link must not sign anyone out.
  show: (visit) => done(visit, '/profile'),
  forms: {
    '': {
      access: 'session',
      async submit(_values, { paths, req, res, service }) {
        await endBrowserSession(service, req, res);
        return { to: paths.signIn };
      },
    },
  },
});
