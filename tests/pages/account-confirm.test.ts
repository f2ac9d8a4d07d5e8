// How a user confirms a sensitive change: with what the account has, and back to the page that asked.
import { softwareAuthenticator } from 'svc-auth/testing';
import { accountPagesOpener, accountPath, errorsOf, mount, textOf } from '../support/account-pages.js';
import { codeAt } from '../support/authenticator-app.js';
import { validPassword } from '../support/http-site.js';

const openAccount = accountPagesOpener();
const asked = `${accountPath}/tokens/new`;

describe('the page on which a user confirms a change', () => {
  it('with the password the user returns to the page that asked, which then opens', async () => {
    const { browser, open, waitUntilOld } = await openAccount();
    waitUntilOld();
    await browser.get(asked);
    const page = await browser.follow();
    expect(textOf(page)).toContain('Confirm it’s you');
    const wrong = await browser.press('/account/confirm', { current: 'another password' });
    expect(errorsOf(wrong)).toEqual(['current: This isn’t your current password.']);
    expect(wrong.status).toBe(422);
    const right = await browser.press('/account/confirm', { current: validPassword });
    expect(right).toMatchObject({ status: 303, location: asked });
    await open('/tokens/new');
  });

  it('with a mailed code the user returns to the page that asked', async () => {
    const { browser, me, open, site, waitUntilOld } = await openAccount({ byCode: true });
    waitUntilOld();
    await browser.get(asked);
    await browser.follow();
    expect(await browser.press('/confirm/mail')).toMatchObject({ location: `${accountPath}/confirm/code` });
    expect(textOf(await browser.follow())).toContain(me.email);
    const wrong = await browser.press('/confirm/code/verify', { code: 'wrong' });
    expect(errorsOf(wrong)).toEqual(['code: This code is wrong. Check it and try again.']);
    const code = site.mail.lastCode(me.email) ?? '';
    const right = await browser.press('/confirm/code/verify', { code });
    expect(right).toMatchObject({ status: 303, location: asked });
    await open('/tokens/new');
  });

  it('offers a code for a phone number of the account', async () => {
    const { browser, me, site, waitUntilOld } = await openAccount();
    const phone = '+493012345678';
    await site.service.phoneOtp.sendCode({ phone });
    await site.service.phoneOtp.verify({ phone, code: site.sms.lastCode(phone) ?? '' });
    await browser.get(`${accountPath}/confirm`);
    waitUntilOld();
    // The number belongs to another account: it is not offered to this one.
    expect(textOf(await browser.get(`${accountPath}/confirm?next=/notes`))).not.toContain('Text me a code');
    expect((await browser.get(`${accountPath}/confirm/phone`)).location).toBe(`${accountPath}/confirm`);
    expect(me.email).not.toBe('');
  });

  it('with a code by text message to a number of the account the user returns to the page that asked', async () => {
    const { browser, me, open, site, waitUntilOld } = await openAccount();
    const phone = '+493012345678';
    const userId = me.user.id as string;
    await site.service.phoneOtp.sendLinkCode({ userId, phone });
    await site.service.phoneOtp.link({ userId, phone, code: site.sms.lastCode(phone) ?? '' });
    waitUntilOld();
    await browser.get(asked);
    await browser.follow();
    expect(await browser.press('/confirm/phone')).toMatchObject({ location: `${accountPath}/confirm/phone` });
    expect(textOf(await browser.follow())).toContain(phone);
    const right = await browser.press('/confirm/phone/verify', { code: site.sms.lastCode(phone) ?? '' });
    expect(right).toMatchObject({ status: 303, location: asked });
    await open('/tokens/new');
  });

  it('offers a passkey to an account that has one', async () => {
    const { browser, me, site, waitUntilOld } = await openAccount({ byCode: true });
    const { webauthn } = site.service;
    const userId = me.user.id as string;
    const { options, challenge } = await webauthn.startRegistration(userId);
    const response = softwareAuthenticator({ origin: 'https://app.test' }).create(options);
    await webauthn.finishRegistration({ userId, response, expectedChallenge: challenge });
    waitUntilOld();
    const { text } = await browser.get(`${accountPath}/confirm?next=${asked}`);
    expect(text).toMatch(/data-passkey="\/api\/auth\/passkeys\/authenticate"[^]*Use a passkey/);
  });

  it('offers no password to an account without one, and no provider or passkey that is not linked', async () => {
    const { browser, waitUntilOld } = await openAccount({ byCode: true });
    waitUntilOld();
    const { text } = await browser.get(`${accountPath}/confirm?next=${asked}`);
    expect(text).toContain('Email me a code');
    expect(text).not.toContain('type="password"');
    for (const absent of ['Continue with', 'data-passkey=', 'Text me a code'])
      expect(text).not.toContain(absent);
  });

  it('can be canceled: the section of the page is next', async () => {
    const { browser, waitUntilOld } = await openAccount();
    waitUntilOld();
    await browser.get(asked);
    expect((await browser.follow()).text).toContain(`<p class="below"><a href="${accountPath}/tokens">`);
    const elsewhere = await browser.get(`${accountPath}/confirm?next=/notes`);
    expect(elsewhere.text).toContain(`<p class="below"><a href="${accountPath}/profile">`);
  });

  it('an account with a second factor needs it too', async () => {
    const { browser, me, open, site, waitUntilOld } = await openAccount();
    const userId = me.user.id as string;
    const { secret } = await site.service.totp.beginEnrollment(userId);
    await site.service.totp.confirmEnrollment(userId, codeAt(secret, site.clock.now()));
    const { token } = await site.service.sessionsProvider.create({ userId });
    browser.adopt(`svc_session=${token}`);
    waitUntilOld();
    await browser.get(asked);
    await browser.follow();
    const step = await browser.press('/account/confirm', { current: validPassword });
    expect(step).toMatchObject({ status: 303, location: `${mount}/two-factor` });
    // The password alone has changed nothing.
    expect((await browser.get(asked)).location).toContain('/confirm');
    await browser.get(`${mount}/two-factor`);
    const right = await browser.submit({ code: codeAt(secret, site.clock.now()) });
    expect(right).toMatchObject({ status: 303, location: asked });
    await open('/tokens/new');
  });

  it('a recent sign-in is not asked again', async () => {
    const { browser } = await openAccount();
    const next = encodeURIComponent(asked);
    expect(await browser.get(`${accountPath}/confirm?next=${next}`)).toMatchObject({
      status: 303,
      location: asked,
    });
  });

  it('never leads to another site', async () => {
    const { browser, waitUntilOld } = await openAccount();
    for (const next of ['https://evil.test', '//evil.test', '/\\evil.test', 'javascript:alert(1)'])
      expect((await browser.get(`${accountPath}/confirm?next=${encodeURIComponent(next)}`)).location).toBe(
        '/',
      );
    waitUntilOld();
    await browser.get(`${accountPath}/confirm?next=${encodeURIComponent('//evil.test')}`);
    expect((await browser.press('/account/confirm', { current: validPassword })).location).toBe('/');
  });

  it('a code confirms the address of the session, whatever the form says', async () => {
    const { another, browser, site, waitUntilOld } = await openAccount({ byCode: true });
    const { account: other } = await another();
    waitUntilOld();
    await site.service.emailCode.sendCode({ email: other.email });
    await browser.get(`${accountPath}/confirm?next=${asked}`);
    await browser.press('/confirm/mail');
    await browser.follow();
    const code = site.mail.lastCode(other.email) ?? '';
    const refused = await browser.press('/confirm/code/verify', { code, email: other.email });
    expect(errorsOf(refused)).toEqual(['code: This code is wrong. Check it and try again.']);
  });
});
