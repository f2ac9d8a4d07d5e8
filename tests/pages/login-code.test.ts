// The page of the password when strangers have used up the wrong passwords of a day: it asks for a mailed code as well.
import { createPages } from 'svc-auth/pages';
import { mount } from '../support/account-pages.js';
import { fullSiteOpener } from '../support/full-site.js';
import { validPassword } from '../support/http-site.js';
import { runInSequence } from '../support/outcomes.js';
import { pageVisitor } from '../support/page-visitor.js';

const openSite = fullSiteOpener();

async function attackedAccount() {
  const site = await openSite({
    after: (app, { service }) => app.use(mount, createPages(service, { name: 'Acme', basePath: mount })),
  });
  const { email } = await site.signUp();
  for (let client = 1; client <= 10; client += 1) {
    const context = { ip: `203.0.113.${client}` };
    await runInSequence(10, () => site.service.emailPassword.login({ email, password: 'wrong' }, context));
  }
  await site.settle();
  site.mail.clear();
  const browser = pageVisitor(site);
  await browser.get(`${mount}/sign-in`);
  await browser.submit({ email });
  await browser.get(`${mount}/sign-in/password`);
  return { site, browser, email };
}

//
it('the page of the password asks for the mailed code, and signs the owner in with both', async () => {
  const { site, browser, email } = await attackedAccount();
  const asked = await browser.submit({ password: validPassword });
  expect(asked.status).toBe(422);
  expect(asked.text).toContain('We’ve sent a code to its email address.');
  await site.settle();
  const code = site.mail.lastCode(email) ?? '';
  const empty = await browser.submit({ password: validPassword, code: '' });
  expect(empty.text).toContain('Enter the code.');
  const wrong = await browser.submit({
    password: validPassword,
    code: code === '000000' ? '111111' : '000000',
  });
  expect(wrong.text).toContain('This code is wrong.');
  expect((await browser.submit({ password: validPassword, code: ` ${code} ` })).status).toBe(303);
  expect(browser.cookie('svc_session')).toBeDefined();
});
