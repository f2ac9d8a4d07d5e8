/** The button on the page for a user without access, which ends the session of this browser. */
import { endBrowserSession } from '../http/signed-in.js';
import { defineAdminPage } from './page.js';

export const signOutPath = '/sign-out';

export const signOutPage = defineAdminPage({
  path: signOutPath,
  // Every session may end itself, whatever `authorize` allows it. An impersonation has its own page.
  access: 'no-impersonation',
  action: null,
  // Opened with the address bar, or by Back: a link must not sign anyone out.
  show: async () => ({ to: '/users' }),
  forms: {
    '': {
      access: 'no-impersonation',
      action: null,
      async submit(_form, { req, res, service }) {
        await endBrowserSession(service, req, res);
        return '/users';
      },
    },
  },
});
