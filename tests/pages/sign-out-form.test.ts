// The button that signs out on a page of the application, without a script.
import { optionalSession } from 'svc-auth';
import { createPages, formToken, html } from 'svc-auth/pages';
import { fullSiteOpener } from '../support/full-site.js';
import { pageVisitor, type PageVisitor } from '../support/page-visitor.js';

const openSite = fullSiteOpener();

/** A site whose own page has the button. */
async function openHome() {
  const site = await openSite({
    after(app, { service }) {
      app.use('/app', createPages(service, { name: 'Acme' }));
      app.get('/app/home', optionalSession(service), (req, res) => {
        const token = formToken(service, req);
        const button = html`<form method="post" action="/app/account/sign-out">
          <input type="hidden" name="form_token" value="${token}" />
          <button>Sign out</button>
        </form>`;
        res.send(token === null ? 'Welcome' : button.text);
      });
    },
  });
  const signIn = async (): Promise<PageVisitor> => {
    const browser = pageVisitor(site);
    browser.adopt((await site.signUp()).cookie);
    await browser.get('/app/home');
    return browser;
  };
  return { site, signIn };
}

describe('formToken', () => {
  it('signs out with a form on a page of the application', async () => {
    const { signIn } = await openHome();
    const browser = await signIn();
    const response = await browser.press('/account/sign-out');
    expect([response.status, response.headers.location]).toEqual([303, '/app/sign-in?notice=signed_out']);
    expect((await browser.get('/app/home')).text).toBe('Welcome');
  });

  it('refuses a form with the token of another session, and without one', async () => {
    const { signIn } = await openHome();
    const [browser, other] = [await signIn(), await signIn()];
    const [, token = ''] =
      /name="form_token" value="([^"]+)"/.exec((await other.get('/app/home')).text) ?? [];
    for (const form_token of [token, '']) {
      await browser.get('/app/home');
      await browser.press('/account/sign-out', { form_token });
      expect((await browser.get('/app/home')).text).toContain('Sign out');
    }
  });
});
