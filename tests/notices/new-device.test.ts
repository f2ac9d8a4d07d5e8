// A sign-in from a device that the account has not used is mailed, whichever the method (docs/decisions/notices.md).
import { outbox } from 'svc-auth/testing';
import { describeAttacks, type SiteWithProviders } from '../support/full-site.js';
import type { HttpResponse } from '../support/http-client.js';
import { validPassword } from '../support/http-site.js';
import { logIn } from '../support/site-actions.js';
import { signInMethods } from '../support/sign-in-methods.js';

const baseUrl = 'https://app.test/api/auth/not-me';
const day = 24 * 60 * 60_000;
const { 'a signup': _signUp, ...methods } = signInMethods;

describeAttacks('A sign-in', ({ open }) => {
  async function openWithNotices() {
    const notices = outbox();
    const sender = { sender: notices, baseUrl, credentials: false };
    return { site: await open({ service: { notices: sender } }), notices };
  }

  const deviceOf = (response: HttpResponse) => response.cookie('svc_device');

  /** A user with a verified address and a password, and the cookie of the browser. */
  async function person(site: SiteWithProviders) {
    const { email, cookie, response, user } = await site.signInByCode();
    await site.post('/password/signup', { email, password: validPassword }, { cookie });
    return { email, id: user.id as string, cookie, device: deviceOf(response) };
  }

  const logInFrom = (site: SiteWithProviders, email: string, cookie?: string) =>
    site.post('/password/login', { email, password: validPassword }, cookie === undefined ? {} : { cookie });

  it.each(Object.entries(methods))(
    'with %s is mailed for a new device, and not for a known one',
    async (_name, prepare) => {
      const { site, notices } = await openWithNotices();
      const signIn = await prepare(site);
      const id = await userOf(site, await signIn());
      const { email, emailVerified } = await site.service.users.get(id);
      // Some methods create accounts without a verified address, to which nothing is mailed.
      if (!emailVerified)
        await site.service.users.update(id, { email: email ?? site.uniqueEmail(), emailVerified: true });
      const first = await signIn();
      await site.settle();
      notices.clear();
      await signIn(deviceOf(first));
      await site.settle();
      expect(notices.messages).toEqual([]);
      await signIn();
      await site.settle();
      expect(notices.messages.map(({ subject }) => subject)).toEqual(['New sign-in to your Acme account']);
    },
  );

  async function userOf(site: SiteWithProviders, response: HttpResponse): Promise<string> {
    return (await site.get('/session', { cookie: response.cookie() })).json.user.id as string;
  }

  it('that creates the account is not mailed', async () => {
    const { site, notices } = await openWithNotices();
    await site.signInByCode();
    await site.settle();
    expect(notices.messages).toEqual([]);
  });

  it('is mailed for a forged device, for that of another account, and for one without its signature', async () => {
    const { site, notices } = await openWithNotices();
    const { email, device } = await person(site);
    const other = await person(site);
    const forged = [
      other.device,
      `${device.slice(0, -4)}AAAA`,
      `svc_device=${Buffer.from(JSON.stringify([{ userId: 'x' }])).toString('base64url')}`,
      device.split('.')[0]!,
      'svc_device=true; svc_last_method=password',
    ];
    for (const cookie of forged) await logInFrom(site, email, cookie);
    await site.settle();
    expect(notices.messages.map(({ to }) => to)).toEqual(forged.map(() => email));
  });

  it('is not mailed in a browser that several accounts use', async () => {
    const { site, notices } = await openWithNotices();
    const [first, second] = [await person(site), await person(site)];
    const both = deviceOf(await logInFrom(site, first.email, second.device));
    await site.settle();
    notices.clear();
    for (const { email } of [first, second]) await logInFrom(site, email, both);
    await site.settle();
    expect(notices.messages).toEqual([]);
  });

  it('is mailed from a known device after all sessions have ended, such as that of a thief', async () => {
    const { site, notices } = await openWithNotices();
    const { email, device, id } = await person(site);
    await site.service.users.signOut(id);
    await logInFrom(site, email, device);
    await site.settle();
    expect(notices.messages).toHaveLength(1);
  });

  it('is mailed after ninety days without a sign-in', async () => {
    const { site, notices } = await openWithNotices();
    const { email, device } = await person(site);
    site.clock.advance(90 * day - 1);
    const again = deviceOf(await logInFrom(site, email, device));
    await site.settle();
    expect(notices.messages).toEqual([]);
    site.clock.advance(90 * day);
    await logInFrom(site, email, again);
    await site.settle();
    expect(notices.messages).toHaveLength(1);
  });

  it('is mailed for a client without cookies, and for a browser that is to forget the session', async () => {
    const { site, notices } = await openWithNotices();
    const { email } = await person(site);
    const forgetful = await site.post('/password/login', { email, password: validPassword, remember: false });
    expect(forgetful.cookies.map(({ name }) => name)).not.toContain('svc_device');
    await logIn(site, email, validPassword);
    await site.settle();
    expect(notices.messages).toHaveLength(2);
  });

  it('is not mailed if it fails, and if an administrator impersonates the user', async () => {
    const { site, notices } = await openWithNotices();
    const { email, id } = await person(site);
    const administrator = await person(site);
    await logIn(site, email, 'the wrong password');
    await site.service.sessionsProvider.impersonate(administrator.id, id, {});
    await site.settle();
    expect(notices.messages).toEqual([]);
  });
});
