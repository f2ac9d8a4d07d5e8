// The profile: the address with its verification, the user name, and what guests see.
import { accountPagesOpener, accountPath, errorsOf, textOf } from '../support/account-pages.js';

const openAccount = accountPagesOpener();

describe('the profile', () => {
  it('changes a verified address with the codes from both mailboxes, and keeps this browser signed in', async () => {
    const { browser, me, open, site } = await openAccount({ byCode: true });
    const email = site.uniqueEmail();
    const other = await site.service.sessionsProvider.create({ userId: me.user.id as string });
    await open('/profile/email');
    expect((await browser.press('/profile/email', { email })).location).toBe(
      `${accountPath}/profile/email/code`,
    );
    const page = await browser.follow();
    expect(textOf(page)).toContain(`one code to ${email} and another to ${me.email}`);
    const [code, currentCode] = [site.mail.lastCode(email), site.mail.lastCode(me.email)] as [string, string];
    const half = await browser.press('/profile/email/code', { code: `${code.slice(0, 3)} ${code.slice(3)}` });
    expect(errorsOf(half)).toEqual(['currentCode: Enter the code.']);
    const wrong = await browser.press('/profile/email/code', { code, currentCode: 'wrong' });
    expect(errorsOf(wrong)).toEqual(['currentCode: This code is wrong. Check it and try again.']);
    const changed = await browser.press('/profile/email/code', { code, currentCode });
    expect(changed.location).toBe(`${accountPath}/profile?done=address`);
    const profile = textOf(await browser.follow());
    expect(profile).toContain('Email address changed.');
    expect(profile).toContain(email);
    await expect(site.service.getSessionUser(other.token)).rejects.toMatchObject({ code: 'token_invalid' });
    // The address is forgotten: the step of the codes begins again.
    expect((await browser.get(`${accountPath}/profile/email/code`)).location).toBe(
      `${accountPath}/profile/email`,
    );
  });

  it('says the same about a new address whether or not it has an account', async () => {
    const { another, browser, open } = await openAccount({ byCode: true });
    const { account: other } = await another();
    const pages: string[] = [];
    for (const email of [other.email, 'nobody@example.com']) {
      await open('/profile/email');
      await browser.press('/profile/email', { email });
      pages.push(textOf(await browser.follow()).replaceAll(email, '…'));
    }
    expect(pages[1]).toBe(pages[0]);
  });

  it.each([
    ['', 'email: Enter the new address.'],
    ['not an address', 'email: Enter an email address, such as ada@example.com.'],
  ])('refuses %j as an address, next to the field', async (email, error) => {
    const { browser, open } = await openAccount({ byCode: true });
    await open('/profile/email');
    const refused = await browser.press('/profile/email', { email });
    expect([refused.status, errorsOf(refused)]).toEqual([422, [error]]);
  });

  it('refuses the present address, in any case', async () => {
    const { browser, me, open } = await openAccount({ byCode: true });
    await open('/profile/email');
    const refused = await browser.press('/profile/email', { email: me.email.toUpperCase() });
    expect(errorsOf(refused)).toEqual(['email: This is your address already.']);
  });

  it('verifies an address with a mailed code', async () => {
    const { browser, me, open, site } = await openAccount();
    expect(textOf(await open('/profile'))).toContain('Unverified');
    await open('/profile/verify-email');
    await browser.press('/verify-email/send');
    await browser.follow();
    const wrong = await browser.press('/profile/verify-email', { code: 'wrong' });
    expect(errorsOf(wrong)).toEqual(['code: This code is wrong. Check it and try again.']);
    const code = site.mail.lastCode(me.email) ?? '';
    const verified = await browser.press('/profile/verify-email', { code });
    expect(verified.location).toBe(`${accountPath}/profile?done=verified`);
    expect(textOf(await browser.follow())).not.toContain('Unverified');
    expect((await browser.get(`${accountPath}/profile/verify-email`)).location).toBe(
      `${accountPath}/profile`,
    );
  });

  it('sets, changes and removes the user name', async () => {
    const { another, browser, open } = await openAccount();
    await open('/profile/username');
    expect((await browser.press('/profile/username', { username: 'Ada' })).status).toBe(303);
    expect(textOf(await browser.follow())).toContain('Username saved.');
    const { browser: other } = await another();
    await other.get(`${accountPath}/profile/username`);
    const taken = await other.press('/profile/username', { username: 'ada' });
    expect(errorsOf(taken)).toEqual(['username: This username is taken. Choose another one.']);
    await open('/profile/username/remove');
    expect((await browser.press('/profile/username/remove')).location).toBe(
      `${accountPath}/profile?done=usernameRemoved`,
    );
    expect((await browser.get(`${accountPath}/profile/username/remove`)).status).toBe(404);
  });

  it('only known messages can be shown by an address', async () => {
    const { browser } = await openAccount();
    for (const code of ['toString', '__proto__', '<b>x', 'Your account is blocked']) {
      const { text } = await browser.get(`${accountPath}/profile?done=${encodeURIComponent(code)}`);
      expect(text).not.toContain('role="status"');
    }
  });

  it('a guest sees how to create an account, and only what a guest has', async () => {
    const { browser, site } = await openAccount();
    const { token } = await site.service.sessionsProvider.createGuest();
    browser.forget();
    browser.adopt(`svc_session=${token}`);
    const text = textOf(await browser.get(`${accountPath}/profile`));
    expect(text).toContain('You’re a guest');
    for (const title of ['Sign-in and security', 'Organizations', 'Keys']) expect(text).not.toContain(title);
    for (const path of ['/security', '/tokens', '/organizations', '/profile/username'])
      expect((await browser.get(accountPath + path)).status).toBe(404);
    site.clock.advance(11 * 60_000);
    const page = await browser.get(`${accountPath}/data/delete`);
    expect(textOf(page)).toContain('To confirm, type delete');
    expect(textOf(await browser.press('/data/delete', { confirmation: 'delete' }))).toContain(
      'Account deleted',
    );
  });
});
