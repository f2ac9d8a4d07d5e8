// whose answer of an identity provider counts for whom, over the routes of both kinds of provider, on each storage.
import { describeAdapters } from '../../support/describe-adapters.js';
import { minute } from '../../support/make-pro-service.js';
import { isIn } from '../../support/people.js';
import { wholeProduct } from '../../support/whole-product.js';
import {
  refused,
  onLoopback,
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

describeAdapters('An answer of an identity provider', (on) => {
  const open = wholeProduct(on.adapter, onLoopback);

  it.each(providers)(
    'A-71 at %s, an answer counts in the browser that asked, once, for ten minutes',
    async (at, name) => {
      const site = await open();
      const victim = await site.signInByCode();
      const attacker = await started(site, at, name, personAt(name));
      const own = (await site.get(`${at}/start`)).cookie('svc_oauth');
      // The attacker's own good answer in the browser of a victim, who is signed in and may have begun a sign-in too.
      for (const cookie of [
        undefined,
        victim.cookie,
        `${victim.cookie}; ${own}`,
        'svc_oauth=x',
        attacker.cookie.slice(0, -2),
      ]) {
        expectRefused(await callback(site, at, attacker.answer, cookie), cookie);
      }
      expect(await isIn(site, victim.cookie)).toBe(true);
      const state = attacker.answer.get('state')!;
      const answers = ['', 'x', `${state}x`, state.slice(0, -1), state.toUpperCase()].map((value) => {
        const changed = new URLSearchParams(attacker.answer);
        changed.set('state', value);
        return changed;
      });
      const [twice, none] = [new URLSearchParams(attacker.answer), new URLSearchParams(attacker.answer)];
      twice.append('state', state);
      none.delete('state');
      for (const answer of [...answers, twice, none]) {
        expectRefused(await callback(site, at, answer, attacker.cookie), answer.toString());
      }
      // Refused by the state alone: nothing was used up that way, neither here nor at the provider.
      expect((await callback(site, at, attacker.answer, attacker.cookie)).location).toBe('/');
      const late = await started(site, at, name, personAt(name));
      site.clock.advance(10 * minute);
      expectRefused(await callback(site, at, late.answer, late.cookie), 'late');
      const good = await started(site, at, name, personAt(name));
      const before = tokenRequests();
      const both = await Promise.all([1, 2, 3].map(() => callback(site, at, good.answer, good.cookie)));
      expect(both.map(({ location }) => location).sort()).toEqual(['/', refused, refused]);
      expectRefused(await callback(site, at, good.answer, good.cookie), 'again');
      // Here, and not only because a provider takes its codes once: some do not.
      expect(tokenRequests() - before).toBe(1);
    },
  );

  it.each(kinds)(
    'A-75 at %s, people are who the provider numbers them as, whatever they call themselves',
    async (at, name) => {
      const site = await open();
      const victim = await site.signInByCode();
      const userAt = async (subject: string, place: string = at, idp: keyof typeof idps = name) => {
        const answer = await signIn(site, place, idp, subject);
        if (answer.location !== '/') return answer.location;
        return (await site.get('/session', { cookie: answer.cookie() })).json.user as {
          id: string;
          email: string | null;
        };
      };
      // An account at the provider that says it has the victim's address, in every way but truly.
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
      // The same number elsewhere, and numbers that only look alike.
      personAt('other', { email: undefined }, subject);
      const ids = [user.id, ((await userAt(subject, '/oauth/other', 'other')) as { id: string }).id];
      for (const like of [
        subject.toUpperCase(),
        `${subject} `,
        ` ${subject}`,
        `${subject}%`,
        `${subject}_`,
      ]) {
        personAt(name, { email: undefined }, like);
        ids.push(((await userAt(like)) as { id: string }).id);
      }
      expect(new Set(ids).size).toBe(ids.length);
    },
  );

  it.each([...kinds, plain])(
    'A-75 at %s, a number that no storage can hold is a refusal and no failure',
    async (at, name) => {
      const site = await open();
      for (const odd of ['x\0', '\ud800', 'é', '', 'x'.repeat(100_000), "'; drop table svc_users; --"]) {
        const subject = personAt(name);
        const begun = await started(site, at, name, subject);
        const said = {
          sub: odd,
          name: `\0${odd}`,
          picture: odd,
          email: `${odd}@example.com`,
          email_verified: true,
        };
        idps[name].lie({ claims: said, userInfo: said });
        const { location } = await callback(site, at, begun.answer, begun.cookie);
        const isText = odd.startsWith("'");
        expect([odd.slice(0, 9), location]).toEqual([odd.slice(0, 9), isText ? '/' : refused]);
      }
      expect(site.log.filter(({ level }) => level === 'error')).toEqual([]);
    },
  );
});
