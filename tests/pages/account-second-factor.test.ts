// Two-factor authentication: several authenticator apps, codes by email, the preferred method, and few recovery codes.
import { accountPagesOpener, accountPath, errorsOf, mount, textOf } from '../support/account-pages.js';
import type { AccountScene } from '../support/account-pages.js';
import { fieldsOf } from '../support/admin-pages.js';
import { codeAt } from '../support/authenticator-app.js';
import { validPassword } from '../support/http-site.js';

const openAccount = accountPagesOpener();
const markup = '<script>alert(1)</script>"\'';

/** Sets up an authenticator app with the pages. Returns the response to its first code. */
async function addApp({ browser, open, site }: AccountScene, name = '') {
  await open('/security/authenticator');
  const scan = await browser.press('/authenticator/start');
  const secret = (/secret-text[^>]*>([^<]*)</.exec(scan.text)?.[1] ?? '').replace(/\s/g, '');
  const code = codeAt(secret, site.clock.now());
  return { secret, added: await browser.press('/authenticator/confirm', { code, name }) };
}

const idOf = ({ me }: AccountScene) => me.user.id as string;
const recoveryCodesIn = (text: string) => text.match(/<code>[A-Z2-7]{5}-[A-Z2-7]{5}<\/code>/g) ?? [];

describe('the authenticator apps', () => {
  it('the first one turns the second factor on and shows recovery codes; another one keeps them', async () => {
    const scene = await openAccount();
    const first = await addApp(scene, 'Work phone');
    expect(recoveryCodesIn(first.added.text)).toHaveLength(10);
    const second = await addApp(scene, 'Tablet');
    expect(second.added.location).toBe(`${accountPath}/security?done=appAdded`);
    const apps = await scene.site.service.totp.listApps(idOf(scene));
    expect(apps.map(({ name }) => name)).toEqual(['Work phone', 'Tablet']);
    const text = textOf(await scene.open('/security'));
    for (const shown of ['Work phone', 'Tablet', '10 codes left']) expect(text).toContain(shown);
  });

  it('an app keeps its name after a wrong code', async () => {
    const { browser, open } = await openAccount();
    await open('/security/authenticator');
    await browser.press('/authenticator/start');
    const refused = await browser.press('/authenticator/confirm', { code: '', name: 'Tablet' });
    expect(errorsOf(refused)).toEqual(['code: Enter the code.']);
    expect(refused.text).toContain('value="Tablet"');
  });

  it('a fourth app is not offered, and refused', async () => {
    const scene = await openAccount();
    for (const name of ['A', 'B', 'C']) await addApp(scene, name);
    expect(textOf(await scene.open('/security'))).not.toContain('Add app');
    const { added } = await addApp(scene, 'D');
    expect(errorsOf(added)).toEqual(['You can have three authenticator apps. Remove one first.']);
    expect(await scene.site.service.totp.listApps(idOf(scene))).toHaveLength(3);
  });

  it('an app gets another name, which never becomes markup', async () => {
    const scene = await openAccount();
    const { browser, open, site } = scene;
    await addApp(scene, 'Tablet');
    const [app] = await site.service.totp.listApps(idOf(scene));
    const path = `/security/authenticator/${app?.id}`;
    expect((await open(`${path}/rename`)).text).toContain('value="Tablet"');
    const refused = await browser.press('/rename', { name: ' ' });
    expect(errorsOf(refused)).toEqual(['name: Enter a name of at most 100 characters.']);
    const renamed = await browser.press('/rename', { name: markup });
    expect(renamed.location).toBe(`${accountPath}/security?done=renamed`);
    for (const shown of ['/security', `${path}/rename`, `${path}/remove`])
      expect((await open(shown)).text).not.toContain('<script>alert');
    expect((await site.service.totp.listApps(idOf(scene)))[0]?.name).toBe(markup);
  });

  it('one app is removed and the other remains valid; the page of the last one says what it turns off', async () => {
    const scene = await openAccount();
    const { browser, me, open, site } = scene;
    await addApp(scene, 'Phone');
    await addApp(scene, 'Tablet');
    const [phone, tablet] = await site.service.totp.listApps(idOf(scene));
    expect(textOf(await open(`/security/authenticator/${phone?.id}/remove`))).toContain(
      'Its codes stop working',
    );
    const other = await site.service.sessionsProvider.create({ userId: idOf(scene) });
    expect((await browser.press('/remove')).location).toBe(`${accountPath}/security?done=appRemoved`);
    await expect(site.service.getSessionUser(other.token)).rejects.toMatchObject({ code: 'token_invalid' });
    expect(textOf(await open(`/security/authenticator/${tablet?.id}/remove`))).toContain(
      'two-factor authentication is turned off',
    );
    await browser.press('/remove');
    expect(await site.service.totp.isEnabled(idOf(scene))).toBe(false);
    const login = { email: me.email, password: validPassword };
    expect((await site.post('/password/login', login)).status).toBe(200);
  });

  it('an app of another user is not found, and keeps its name', async () => {
    const scene = await openAccount();
    const { another, browser, site } = scene;
    const their = await another();
    const userId = their.account.user.id as string;
    const { secret } = await site.service.totp.beginEnrollment(userId);
    await site.service.totp.addApp({ userId, code: codeAt(secret, site.clock.now()), name: 'Theirs' });
    const [app] = await site.service.totp.listApps(userId);
    for (const action of ['rename', 'remove'])
      expect((await browser.get(`${accountPath}/security/authenticator/${app?.id}/${action}`)).status).toBe(
        404,
      );
    // A form with a right token, sent with the id of the other user's app.
    const form_token = fieldsOf((await scene.open('/profile')).text)['form_token'] ?? '';
    const body = new URLSearchParams({ form_token, name: 'Stolen' }).toString();
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const path = `${accountPath}/security/authenticator/${app?.id}/rename`;
    expect((await site.send('POST', path, body, { headers, cookie: scene.me.cookie })).status).not.toBe(303);
    expect((await site.service.totp.listApps(userId))[0]?.name).toBe('Theirs');
  });
});

describe('codes by email', () => {
  it('are turned on for a verified address, sign out other devices, and are turned off again', async () => {
    const scene = await openAccount({ byCode: true });
    const { browser, me, open, site } = scene;
    await addApp(scene);
    const state = () => site.service.secondFactor.state(idOf(scene));
    const other = await site.service.sessionsProvider.create({ userId: idOf(scene) });
    expect(textOf(await open('/security/email-codes'))).toContain(`we can send a code to ${me.email}`);
    expect((await browser.press('/email-codes')).location).toBe(`${accountPath}/security?done=emailCodesOn`);
    expect((await state()).email).toBe(true);
    await expect(site.service.getSessionUser(other.token)).rejects.toMatchObject({ code: 'token_invalid' });
    await open('/security/email-codes/turn-off');
    expect((await browser.press('/turn-off')).location).toBe(`${accountPath}/security?done=emailCodesOff`);
    expect((await state()).email).toBe(false);
    expect((await browser.get(`${accountPath}/security/email-codes/turn-off`)).status).toBe(404);
  });

  it('need a verified address, and the page says so', async () => {
    const scene = await openAccount();
    await addApp(scene);
    const text = textOf(await scene.open('/security'));
    expect(text).toContain('Codes by email Verify your email address first.');
    const page = await scene.browser.get(`${accountPath}/security/email-codes`);
    expect(page.location).toBe(`${accountPath}/security`);
  });

  it('are not offered without a sender for them, nor is a passkey that the application does not allow', async () => {
    const scene = await openAccount({ byCode: true, site: { service: { providers: { totp: true } } } });
    await addApp(scene);
    expect(textOf(await scene.open('/security'))).not.toContain('Codes by email');
    expect((await scene.browser.get(`${accountPath}/security/email-codes`)).status).toBe(404);
  });
});

describe('the preferred method', () => {
  it('is one of those that the account has, and the sign-in asks for it first', async () => {
    const scene = await openAccount({ byCode: true });
    const { browser, open, site } = scene;
    await addApp(scene);
    expect(textOf(await open('/security'))).not.toContain('Preferred method');
    await open('/security/email-codes');
    await browser.press('/email-codes');
    const page = await open('/security/preferred');
    expect([...page.text.matchAll(/<option value="(\w+)"/g)].map(([, method]) => method)).toEqual([
      'totp',
      'email',
    ]);
    const refused = await browser.press('/preferred', { method: 'recovery' });
    expect(errorsOf(refused)).toHaveLength(1);
    await open('/security/preferred');
    const saved = await browser.press('/preferred', { method: 'email' });
    expect(saved.location).toBe(`${accountPath}/security?done=preferred`);
    expect((await site.service.secondFactor.state(idOf(scene))).preferred).toBe('email');
    expect(textOf(await open('/security'))).toContain('Preferred method Code by email');
  });
});

describe('the recovery codes', () => {
  it('are shown with a notice when two are left', async () => {
    const scene = await openAccount();
    const { added } = await addApp(scene);
    const codes = recoveryCodesIn(added.text).map((code) => code.replace(/<[^>]*>/g, ''));
    const use = (code: string) => scene.site.service.totp.verifyRecoveryCode(idOf(scene), code);
    for (const code of codes.slice(0, 7)) expect(await use(code)).toBe(true);
    const notice = 'You’re running out of codes. Create new ones.';
    expect(textOf(await scene.open('/security'))).not.toContain(notice);
    expect(await use(codes[7] ?? '')).toBe(true);
    const text = textOf(await scene.open('/security'));
    expect(text).toContain(notice);
    expect(text).toContain('2 codes left');
  });
});

it('the pages of the second step end with the session', async () => {
  const scene = await openAccount();
  await addApp(scene);
  await scene.open('/security/preferred');
  await scene.site.service.sessionsProvider.revokeAll(idOf(scene));
  const refused = await scene.browser.press('/preferred', { method: 'totp' });
  expect(refused.location).toContain(`${mount}/sign-in?next=`);
});
