/** The button above every page of an administrator who acts as a user: it ends the impersonation. */
import { endBrowserSession } from '../../http/signed-in.js';
import { impersonationPath, readAdminPath } from '../../pages-kit/impersonation-cookie.js';
import { defineAccountPage, done } from './page.js';

export const impersonationPage = defineAccountPage({
  section: 'profile',
  path: impersonationPath,
  access: 'session',
  forGuests: true,
  isOffered: () => true,
  // Opened with the address bar, or by Back.
  show: (visit) => done(visit, '/profile'),
  forms: {
    '': {
      access: 'session',
      async submit(_values, visit) {
        const { homeUrl, isImpersonated, req, res, service, session } = visit;
        if (!isImpersonated) return done(visit, '/profile');
        const admin = readAdminPath(service, req, session);
        // The form that the admin pages have for it, with the same token: only they get the administrator's own session.
        if (admin !== null) return { to: admin + impersonationPath, isOutside: true, repeatsForm: true };
        await endBrowserSession(service, req, res);
        return { to: homeUrl, isOutside: true };
      },
    },
  },
});
