/** The button in the header that ends the session of this browser. */
import { endBrowserSession } from '../../http/signed-in.js';
import { changeBody } from './change.js';
import { at, defineAccountPage, done } from './page.js';

export const signOutPage = defineAccountPage({
  section: 'profile',
  path: '/sign-out',
  access: 'session',
  forGuests: true,
  isOffered: () => true,
  show(visit, attempt) {
    // Opened with the address bar, or by Back: a link must not sign anyone out.
    if (!attempt) return done(visit, '/profile');
    // Of a tab that another user had opened: this one was not signed out.
    const { words } = visit;
    const form = { action: at(visit, '/sign-out'), fields: [], submit: words.signOut };
    const body = changeBody(visit, { form: { ...form, cancel: at(visit, '/profile') } });
    return { title: words.signOut, body };
  },
  forms: {
    '': {
      access: 'session',
      async submit(_values, { paths, req, res, service }) {
        await endBrowserSession(service, req, res);
        return { to: `${paths.signIn}?notice=signed_out` };
      },
    },
  },
});
