/** Routes of the pages and their access rules. The pages themselves are in ./pages. */
import { Router, type RequestHandler } from 'express';
import type { Service, ServiceUser } from 'svc-auth';
import { accountPage } from './pages/account.js';
import { homePage } from './pages/home.js';
import { joinPage } from './pages/join.js';
import type { Visitor } from './pages/layout.js';
import { resetPage } from './pages/reset.js';
import { signInPage } from './pages/sign-in.js';

/**
 * Creates the routes of the pages.
 *
 * @param session sets `req.user` if the user is signed in.
 */
export function createPages(service: Service, session: RequestHandler): Router {
  const pages = Router();
  const visitor = async (user: ServiceUser): Promise<Visitor> => {
    const { isGuest, roles } = await service.users.get(user.id);
    return { user, guest: isGuest, isAdmin: roles.includes('admin') };
  };

  // Without a session, these pages redirect to the sign-in page.
  pages.get('/', session, async (req, res) => {
    if (!req.user) return res.redirect('/sign-in');
    // The callback of a linked account ends here: the account page sent this state.
    if (req.query['state'] === 'linked') return res.redirect('/account#identities');
    res.send(homePage(await visitor(req.user)));
  });
  pages.get('/account', session, async (req, res) => {
    if (!req.user) return res.redirect('/sign-in?next=/account');
    res.send(accountPage(await visitor(req.user), req.query));
  });
  pages.get('/sign-in', session, async (req, res) => {
    // A guest may already have an account. A user who signs in again may need a second factor, or come from the admin pages.
    const isAgain = req.query['error'] === 'mfa_required' || req.query['again'] === 'yes';
    if (req.user && !isAgain && !(await visitor(req.user)).guest) {
      // Linking an account, or signing in again at a provider, failed.
      return res.redirect(req.query['error'] === 'oauth_error' ? '/account?error=link_failed' : '/');
    }
    res.send(signInPage(req.query));
  });
  pages.get('/reset', (_req, res) => {
    res.send(resetPage());
  });
  pages.get('/join', session, (req, res) => {
    res.send(joinPage(req.user ?? null));
  });
  return pages;
}
