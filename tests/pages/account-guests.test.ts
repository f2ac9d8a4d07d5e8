// A guest creates an account on the account pages, and keeps its id.
import { accountPagesOpener, accountPath, errorsOf, mount, textOf } from '../support/account-pages.js';
import type { AccountScene, AccountSceneOptions } from '../support/account-pages.js';
import { cheapHasher } from '../support/make-service.js';
import { outbox } from 'svc-auth/testing';

const openAccount = accountPagesOpener();

async function openAsGuest(options: AccountSceneOptions = {}): Promise<AccountScene & { guestId: string }> {
  const scene = await openAccount(options);
  const { user, token } = await scene.site.service.sessionsProvider.createGuest();
  scene.browser.forget();
  scene.browser.adopt(`svc_session=${token}`);
  return { ...scene, guestId: user.id };
}

const upgrade = '/profile/upgrade';

describe('the account of a guest', () => {
  it('says on every page that it is one', async () => {
    const { open } = await openAsGuest();
    for (const path of ['/devices', '/data'])
      expect((await open(path)).text).toMatch(/<span class="me"> *<bdi>You’re a guest<\/bdi>/);
  });

  it('is created with a mailed code, keeps the id, and stays signed in', async () => {
    const { browser, guestId, open, site } = await openAsGuest();
    const email = site.uniqueEmail();
    expect((await open('/profile')).text).toContain(`href="${accountPath}${upgrade}"`);
    await open(upgrade);
    const sent = await browser.press(upgrade, { email });
    expect(sent.location).toBe(`${accountPath}${upgrade}/code`);
    expect(textOf(await open(`${upgrade}/code`))).toContain(email);
    const wrong = await browser.press('/upgrade/code', { code: 'wrong' });
    expect(errorsOf(wrong)).toEqual(['code: This code is wrong. Check it and try again.']);
    // A reload after the refusal shows the page again.
    await open(`${upgrade}/code`);
    const created = await browser.press('/upgrade/code', { code: site.mail.lastCode(email) ?? '' });
    expect(created.location).toBe(`${accountPath}/profile?done=accountCreated`);
    expect(textOf(await browser.follow())).toContain('Account created.');
    const record = await site.service.users.get(guestId);
    expect(record).toMatchObject({ email, emailVerified: true, isGuest: false });
    await open('/security');
    expect((await browser.get(accountPath + upgrade)).location).toBe(`${accountPath}/profile`);
  });

  it('is created with a password if the service mails no codes', async () => {
    const mail = outbox();
    const emailPassword = { sender: mail, resetUrl: 'https://app.test/reset', hasher: cheapHasher() };
    const providers = { emailCode: undefined, emailPassword };
    const { browser, guestId, open, site } = await openAsGuest({ site: { service: { providers } } });
    const email = site.uniqueEmail();
    await open(upgrade);
    const refused = await browser.press(upgrade, { email, password: 'short' });
    expect(errorsOf(refused)).toEqual(['password: This password is too short. Choose a longer one.']);
    expect(refused.text).toContain(email);
    expect((await browser.press(upgrade, { email, password: 'a battery that is a horse' })).location).toBe(
      `${accountPath}/profile?done=accountCreated`,
    );
    const record = await site.service.users.get(guestId);
    expect(record).toMatchObject({ email, isGuest: false, hasPassword: true });
    expect((await browser.get(`${accountPath}${upgrade}/code`)).status).toBe(404);
  });

  it('is not lost with one click: signing out asks first, and offers an account', async () => {
    const { browser, open } = await openAsGuest();
    await open('/profile');
    const asked = await browser.press('/sign-out');
    expect(asked.status).toBe(200);
    expect(textOf(asked)).toContain('Create an account to keep what you have here');
    expect(asked.text).toContain(`href="${accountPath}${upgrade}"`);
    await open('/profile');
    await browser.press('/sign-out');
    const left = await browser.press('/sign-out', { confirmed: 'yes' });
    expect(left.location).toBe(`${mount}/sign-in?notice=signed_out`);
    expect(browser.cookieNames()).not.toContain('svc_session');
  });

  it('does not reveal before the code whether the address has an account', async () => {
    const { browser, guestId, me, open, site } = await openAsGuest();
    await open(upgrade);
    expect((await browser.press(upgrade, { email: me.email })).location).toBe(
      `${accountPath}${upgrade}/code`,
    );
    expect((await site.service.users.get(guestId)).isGuest).toBe(true);
  });

  it('is offered where a guest is asked to confirm a change', async () => {
    const { browser, waitUntilOld } = await openAsGuest();
    waitUntilOld();
    const page = await browser.get(`${accountPath}/confirm`);
    expect(textOf(page)).toContain('Create an account first.');
    expect(page.text).toContain(`href="${accountPath}${upgrade}"`);
  });

  it('is not created for a user who has one, nor without a session', async () => {
    const { browser, me, open, site } = await openAccount();
    expect((await browser.get(accountPath + upgrade)).location).toBe(`${accountPath}/profile`);
    await open('/profile');
    browser.forget();
    expect((await browser.get(accountPath + upgrade)).location).toContain(`${mount}/sign-in?next=`);
    expect((await site.service.users.get(me.user.id as string)).email).toBe(me.email);
  });
});
