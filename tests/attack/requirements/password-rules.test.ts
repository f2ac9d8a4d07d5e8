// what counts of a password, what its hash costs, and what nobody is asked for.
import { bcryptHasher } from 'svc-auth';
import { goodPassword } from '../../support/http-site.js';
import { passwordSetters } from './password-setters.js';
import { logIn, outcome } from '../../support/people.js';
import { wholeProduct } from '../../support/whole-product.js';

const realBcrypt = { providers: { emailPassword: { hasher: bcryptHasher() } } };

describe('Passwords', () => {
  const open = wholeProduct();

  it('A-02 A-03 A-06 takes 64 emoji, lets every byte count, and keeps bcrypt at cost 10, on every route', async () => {
    const site = await open({ service: realBcrypt });
    const emoji = '😀'.repeat(64);
    const long = `${'a'.repeat(72)}X`;
    const attempts = passwordSetters.map(async ([name, make], index) => {
      const { email, set } = await make(site);
      const password = index % 2 === 0 ? emoji : long;
      expect([name, (await set(password)).status]).toEqual([name, 200]);
      const hash = (await site.adapter.users.findByEmail(email))!.passwordHash;
      expect(hash).toMatch(/^\$2[aby]\$10\$.{53}$/);
      const others =
        password === emoji ? [`${emoji.slice(0, -2)}😁`, hash!] : [`${'a'.repeat(72)}Y`, 'a'.repeat(72)];
      for (const other of others)
        expect([name, (await logIn(site, email, other)).status]).toEqual([name, 401]);
      expect([name, (await logIn(site, email, password)).status]).toEqual([name, 200]);
    });
    await Promise.all(attempts);
  });

  it('A-03 lets no byte past the 72nd count for another where one is changed for another', async () => {
    const site = await open({ service: realBcrypt });
    const { email, cookie } = await site.signUp();
    const first = `${'a'.repeat(72)}X`;
    const change = (currentPassword: string, newPassword: string, at = cookie) =>
      site.post('/account/password', { currentPassword, newPassword }, { cookie: at });
    const changed = await change(goodPassword, first);
    const own = changed.cookie();
    for (const near of [`${'a'.repeat(72)}Y`, 'a'.repeat(72)])
      expect(outcome(await change(near, 'of a thief', own))).toBe('401 invalid_credentials');
    expect((await logIn(site, email, first)).status).toBe(200);
  });

  it('A-06 knows no bcrypt below cost 10', () => {
    for (const cost of [0, 4, 9, 9.5, NaN, Infinity, '10' as never])
      expect(() => bcryptHasher({ cost })).toThrow(RangeError);
  });

  it('A-10 come without hints and questions: no route and no field knows of any', async () => {
    const { openapiDocument } = await import('../../../src/http/openapi/document.js');
    const { paths, components } = openapiDocument({ version: '1' });
    expect(Object.keys(paths ?? {}).length).toBeGreaterThan(40);
    expect(JSON.stringify([paths, components])).not.toMatch(/\bhint|question|maiden|\bpet\b/i);
  });

  it('A-10 A-11 come without an age: no route, no field and no option speaks of one', async () => {
    const { readFileSync } = await import('node:fs');
    const options = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8');
    expect(options).toContain('providers.emailPassword.minLength');
    expect(options).not.toMatch(
      /rotat\w* of passwords|passwordMaxAge|password\w*expir|mustChange|hint|secretQuestion/i,
    );
  });
});
