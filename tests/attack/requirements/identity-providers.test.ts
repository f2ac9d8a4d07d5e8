// Which user a provider's response signs in, over the routes of both kinds of provider, on each storage.
import { describeAdapters } from '../../support/describe-adapters.js';
import { minute } from '../../support/make-pro-service.js';
import { isSignedIn } from '../../support/site-actions.js';
import { fullSiteOpener } from '../../support/full-site.js';
import {
  refused,
  providersOfFile,
  idps,
  providers,
  kinds,
  plain,
  personAt,
  started,
  tokenRequests,
  callback,
  signIn,
  expectRefused,
} from './identity-providers.js';

const onLoopback = providersOfFile();

describeAdapters('Users of an identity provider', (on) => {
  const open = fullSiteOpener(on.adapter, onLoopback);

  //
  it.each(providers)(
    'accepts a response at %s once, within ten minutes, and only in the browser that started the sign-in',
    async (at, name) => {
      const site = await open();
      const victim = await site.signInByCode();
      const attacker = await started(site, at, name, personAt(name));
      const own = (await site.get(`${at}/start`)).cookie('svc_oauth');
      // The attacker's own valid response in the browser of a victim, who is signed in and may have started a sign-in too.
      for (const cookie of [
        undefined,
        victim.cookie,
        `${victim.cookie}; ${own}`,
        'svc_oauth=x',
        attacker.cookie.slice(0, -2),
      ]) {
        expectRefused(await callback(site, at, attacker.answer, cookie), cookie);
      }
      expect(await isSignedIn(site, victim.cookie)).toBe(true);
      const state = attacker.answer.get('state')!;
      const answers = ['', 'x', `${state}x`, state.slice(0, -1), state.toUpperCase()].map((value) => {
        const changed = new URLSearchParams(attacker.answer);
        changed.set('state', value);
        return changed;
      });
      const [twice, none] = [new URLSearchParams(attacker.answer), new URLSearchParams(attacker.answer)];
      twice.append('state', state);
      none.delete('state');
      for (const response of [...answers, twice, none]) {
        expectRefused(await callback(site, at, response, attacker.cookie), response.toString());
      }
      // Rejected for the state alone: neither the transaction nor the code was used up.
      expect((await callback(site, at, attacker.answer, attacker.cookie)).location).toBe('/');
      const late = await started(site, at, name, personAt(name));
      site.clock.advance(10 * minute);
      expectRefused(await callback(site, at, late.answer, late.cookie), 'late');
      const good = await started(site, at, name, personAt(name));
      const before = tokenRequests();
      const both = await Promise.all([1, 2, 3].map(() => callback(site, at, good.answer, good.cookie)));
      expect(both.map(({ location }) => location).sort()).toEqual(['/', refused, refused]);
      expectRefused(await callback(site, at, good.answer, good.cookie), 'again');
      // Rejected by the service itself: not every provider accepts a code only once.
      expect(tokenRequests() - before).toBe(1);
    },
  );

  //
  it.each(kinds)('identifies users at %s by their subject, never by email address', async (at, name) => {
    const site = await open();
    const victim = await site.signInByCode();
    const userAt = async (subject: string, place: string = at, idp: keyof typeof idps = name) => {
      const response = await signIn(site, place, idp, subject);
      if (response.location !== '/') return response.location;
      return (await site.get('/session', { cookie: response.cookie() })).json.user as {
        id: string;
        email: string | null;
      };
    };
    // An account at the provider with the victim's address, which is not verified or not marked as such by a boolean.
    for (const email_verified of [false, 'true', 'false', 1, null, undefined, {}, ['true']]) {
      const user = await userAt(personAt(name, { email: victim.email, email_verified }));
      expect([email_verified, user]).toEqual([email_verified, expect.objectContaining({ email: null })]);
    }
    for (const email of [
      [victim.email],
      { 0: victim.email },
      `${victim.email},eve@evil.test`,
      `${victim.email}\0`,
    ]) {
      const user = await userAt(personAt(name, { email, email_verified: true }));
      expect([email, user]).toEqual([email, expect.objectContaining({ email: null })]);
    }
    const subject = personAt(name);
    const user = (await userAt(subject)) as { id: string };
    personAt(name, { email: victim.email }, subject);
    expect(await userAt(subject)).toMatchObject({ id: user.id });
    // The same subject at another provider, and subjects that only look alike.
    personAt('other', { email: undefined }, subject);
    const ids = [user.id, ((await userAt(subject, '/oauth/other', 'other')) as { id: string }).id];
    for (const like of [subject.toUpperCase(), `${subject} `, ` ${subject}`, `${subject}%`, `${subject}_`]) {
      personAt(name, { email: undefined }, like);
      ids.push(((await userAt(like)) as { id: string }).id);
    }
    expect(new Set(ids).size).toBe(ids.length);
  });

  //
  it.each([...kinds, plain])(
    'rejects a subject at %s that no storage can store, without an error in the log',
    async (at, name) => {
      const site = await open();
      for (const odd of ['x\0', '\ud800', 'é', '', 'x'.repeat(100_000), "'; drop table svc_users; --"]) {
        const subject = personAt(name);
        const begun = await started(site, at, name, subject);
        const claims = {
          sub: odd,
          name: `\0${odd}`,
          picture: odd,
          email: `${odd}@example.com`,
          email_verified: true,
        };
        idps[name].override({ claims, userInfo: claims });
        const { location } = await callback(site, at, begun.answer, begun.cookie);
        const isStorable = odd.startsWith("'");
        expect([odd.slice(0, 9), location]).toEqual([odd.slice(0, 9), isStorable ? '/' : refused]);
      }
      expect(site.log.filter(({ level }) => level === 'error')).toEqual([]);
    },
  );
});
