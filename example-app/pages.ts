/** Which page is at which address, and for whom. The pages themselves are in ./pages. */
import { Router, type RequestHandler } from 'express';
import type { Service } from 'svc-auth';
import { accountPage } from './pages/account.js';
import { homePage } from './pages/home.js';
import { joinPage } from './pages/join.js';
import { resetPage } from './pages/reset.js';
import { signInPage } from './pages/sign-in.js';

/** @param session puts `req.user` there when somebody is signed in. */
export function createPages(service: Service, session: RequestHandler): Router {
  const pages = Router();
  const isGuest = (id: string) => service.sessionsProvider.isGuest(id);

  // Pages for people: without a session they lead to the sign-in page.
  pages.get('/', session, async (req, res) => {
    if (!req.user) return res.redirect('/sign-in');
    // Where linking an account elsewhere ends; the account page sent this state along.
    if (req.query['state'] === 'linked') return res.redirect('/account#identities');
    res.send(homePage({ user: req.user, guest: await isGuest(req.user.id) }));
  });
  pages.get('/account', session, async (req, res) => {
    if (!req.user) return res.redirect('/sign-in?next=/account');
    res.send(accountPage({ user: req.user, guest: await isGuest(req.user.id) }, req.query));
  });
  pages.get('/sign-in', session, async (req, res) => {
    // A guest may have an account after all. A second factor is also asked for when a user signs in again.
    if (req.user && req.query['error'] !== 'mfa_required' && !(await isGuest(req.user.id))) {
      // Linking an account elsewhere, or signing in again there, did not work.
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
