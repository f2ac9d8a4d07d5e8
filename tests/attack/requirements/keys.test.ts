// secrets: what one kind of token is worth elsewhere, what a MAC is compared by, which secrets are taken.
import { createHash } from 'node:crypto';
import { memoryAdapter } from 'svc-auth';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { filesBelow, repository } from '../../architecture/source-graph.js';
import { watchedService } from '../../support/leak-hooks.js';
import { testSecret } from '../../support/make-service.js';
import type { Site } from '../../support/http-site.js';
import { outcomeOf } from '../../support/outcomes.js';
import { enrolTotp, isIn, issueTokens } from '../../support/people.js';
import { wholeProduct, type WholeSite } from '../../support/whole-product.js';

const newPassword = 'another horse battery';

/** One of every secret that the product hands out, by the name of its kind. */
async function oneOfEach(site: WholeSite) {
  const me = await site.signInByCode();
  const { refreshToken, accessToken } = await issueTokens(site, me);
  const apiKey = (await site.post('/api-keys', { name: 'script' }, me)).json.key as string;
  const { org } = (await site.post('/orgs', { name: 'Acme' }, me)).json;
  const invited = await site.signInByCode();
  await site.post(`/orgs/${org.id}/invites`, { email: invited.email }, me);
  const invite = site.mailedToken(invited.email);
  await site.post('/magic-link/send', { email: invited.email });
  const link = site.mailedToken(invited.email);
  await site.post('/password/request-reset', { email: invited.email });
  await site.settle();
  const reset = site.mailedToken(invited.email);
  const value = (cookie: string) => cookie.replace(/^[^=]*=/, '');
  const transaction = value((await site.get('/oauth/acme/start')).cookie('svc_oauth'));
  const challenge = value((await site.post('/passkeys/authenticate/start')).cookie('svc_webauthn'));
  const strong = await site.signInByCode();
  const { code } = await enrolTotp(site, strong.cookie);
  await site.post('/email-code/send', { email: strong.email });
  const first = { email: strong.email, code: site.mail.lastCode(strong.email) };
  const pending = value((await site.post('/email-code/verify', first)).cookie('svc_mfa'));
  const session = value(me.cookie);
  const licenceKey = site.config.licenseKey!;
  const tokens = {
    session,
    accessToken,
    refreshToken,
    apiKey,
    invite,
    link,
    reset,
    transaction,
    challenge,
    pending,
    licenceKey,
  };
  return { tokens, code, invited };
}

type Kind = keyof Awaited<ReturnType<typeof oneOfEach>>['tokens'];

/** Where a secret of one kind is shown: whether it was taken. `takes`: the kinds that are right there. */
const readers: Record<
  string,
  { takes: Kind[]; show: (site: Site, token: string, code: string, cookie: string) => Promise<boolean> }
> = {
  'the session cookie': {
    takes: ['session', 'accessToken'],
    show: (site, token) => isIn(site, `svc_session=${token}`),
  },
  'the bearer of a session': {
    takes: ['session', 'accessToken'],
    show: async (site, token) =>
      (await site.get('/session', { headers: { Authorization: `Bearer ${token}` } })).status === 200,
  },
  'an API key': {
    takes: ['apiKey'],
    show: async (site, token) => (await outcomeOf(() => site.service.apiKeys.verify(token))) === 'ok',
  },
  'a refresh token': {
    takes: ['refreshToken'],
    show: async (site, refreshToken) => (await site.post('/token/refresh', { refreshToken })).status === 200,
  },
  'a magic link': {
    takes: ['link'],
    show: async (site, token) =>
      (await site.get(`/magic-link/verify?token=${encodeURIComponent(token)}`)).cookies.length > 0,
  },
  'a reset': {
    takes: ['reset'],
    show: async (site, token) => (await site.post('/password/reset', { token, newPassword })).status === 200,
  },
  'an invite': {
    takes: ['invite'],
    show: async (site, token, _code, cookie) =>
      (await site.post('/orgs/invites/accept', { token }, { cookie })).status === 200,
  },
  'a sign-in that waits': {
    takes: ['pending'],
    show: async (site, token, code) =>
      (await site.post('/mfa/verify', { code }, { cookie: `svc_mfa=${token}` })).status === 200,
  },
  'an OAuth transaction': {
    // Nothing comes of it without the provider's answer.
    takes: [],
    show: async (site, token) => {
      const entry = createHash('sha256').update('x').digest('base64url').slice(0, 16);
      const cookie = `svc_oauth=${entry}.${token}`;
      const { location } = await site.get('/oauth/acme/callback?code=x&state=x', { cookie });
      return location !== '/?error=oauth_error&reason=expired';
    },
  },
};

/** Lines that compare something that is secret, or made of a secret, as texts are compared. */
function comparisons(text: string): string[] {
  const secret =
    /\b(macs?|signature|digest|hash|tag|hmac|sha256|randomPart|secret|codeVerifier|nonce|pkce)\b/i;
  return text.split('\n').filter((line) => {
    const code = line.replace(/\/\/.*|^\s*\*.*|'[^']*'|`[^`]*`/g, '');
    const [left = '', ...others] = code.split(/[=!]==/);
    const sides = [
      left.split(/[\s(]/).filter(Boolean).at(-1) ?? '',
      ...others.map((each) => each.trim().split(/[\s)]/)[0] ?? ''),
    ];
    const isHarmless = /undefined|null|length|typeof|=== true|=== false/.test(code);
    return others.length > 0 && !isHarmless && sides.some((side) => secret.test(side));
  });
}

describe('Secrets', () => {
  const open = wholeProduct();

  it('A-64 of one kind are worth nothing as any other, wherever they are shown', async () => {
    const site = await open();
    const { tokens, code, invited } = await oneOfEach(site);
    for (const [reader, { takes, show }] of Object.entries(readers)) {
      for (const kind of (Object.keys(tokens) as Kind[]).filter((each) => !takes.includes(each))) {
        const taken = await show(site, tokens[kind], code(), invited.cookie);
        expect([kind, reader, taken]).toEqual([kind, reader, false]);
      }
    }
    expect(site.log.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it.each(Object.entries(readers).filter(([, { takes }]) => takes.length > 0))(
    'A-64 the right kind is taken as %s',
    async (_name, { takes, show }) => {
      const site = await open();
      const { tokens, code, invited } = await oneOfEach(site);
      expect(await show(site, tokens[takes[0]!], code(), invited.cookie)).toBe(true);
    },
  );

  it.each(Object.entries(readers))(
    'A-68 a MAC that is shorter, longer, empty or of other letters is refused as %s like any other, and is no failure',
    async (_name, { takes, show }) => {
      const site = await open();
      const { tokens, code, invited } = await oneOfEach(site);
      for (const kind of takes.length > 0 ? takes : (['transaction'] as const)) {
        const whole = tokens[kind];
        const at = Math.max(whole.lastIndexOf('.'), whole.lastIndexOf('_')) + 1;
        const [body, mac] = [whole.slice(0, at), whole.slice(at)];
        const wrong = [
          '',
          mac.slice(0, -1),
          mac.slice(0, 1),
          `${mac}A`,
          mac + mac,
          `${mac}=`,
          'é'.repeat(mac.length),
          '\u{1f600}',
          'A'.repeat(4_000),
        ];
        // A MAC may have a '_' in it: what is behind the last one can be one letter.
        for (const each of wrong.filter((other) => other !== mac)) {
          const ascii = /^[\x20-\x7e]*$/.test(each) ? each : encodeURIComponent(each);
          expect([kind, each.slice(0, 50), await show(site, body + ascii, code(), invited.cookie)]).toEqual([
            kind,
            each.slice(0, 50),
            false,
          ]);
        }
      }
      expect(site.log.filter(({ level }) => level === 'error')).toEqual([]);
    },
  );

  it('A-68 no MAC, digest or state is compared by === in the source, and timingSafeEqual stands in one place', () => {
    const src = path.join(repository, 'src');
    const textOf = (file: string) => readFileSync(path.join(src, file), 'utf8');
    const files = filesBelow(src, /\.ts$/);
    const ours = files.filter((file) => /^(crypto|kit|providers|http|engine)\//.test(file));
    expect(ours.length).toBeGreaterThan(50);
    expect(ours.flatMap((file) => comparisons(textOf(file)))).toEqual([]);
    expect(files.filter((file) => textOf(file).includes('timingSafeEqual('))).toEqual(['crypto/digest.ts']);
    expect(comparisons('if (signature === expected) {\n  return a !== sha256(b);')).toHaveLength(2);
  });

  it('A-67 an empty secret is never taken, a short or dull one not in production, and elsewhere with a warning', () => {
    const attempt = (secret: unknown, previousSecrets?: unknown) => {
      const warnings: string[] = [];
      const note = (_fields: object, message: string) => void warnings.push(message);
      const logger = { debug: note, info: note, warn: note, error: note };
      try {
        watchedService({
          adapter: memoryAdapter(),
          logger,
          session: { secret, previousSecrets } as { secret: string },
        });
        return warnings.length > 0 ? 'warned' : 'ok';
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    const { NODE_ENV } = process.env;
    try {
      for (const env of ['production', 'development']) {
        process.env['NODE_ENV'] = env;
        for (const none of [
          '',
          ' ',
          '\n\t',
          undefined,
          null,
          42,
          [],
          {},
          ['x'.repeat(40)],
          Buffer.alloc(40),
        ]) {
          expect([env, none, attempt(none)]).toEqual([env, none, 'config_invalid']);
        }
        for (const weak of [
          'short',
          'x'.repeat(31),
          'a'.repeat(64),
          'abcabcabcabcabcabcabcabcabcabcabcabc',
        ]) {
          expect([env, weak, attempt(weak)]).toEqual([
            env,
            weak,
            env === 'production' ? 'config_invalid' : 'warned',
          ]);
        }
        expect([env, attempt(testSecret)]).toEqual([env, 'ok']);
        for (const odd of [[''], [' '], [undefined], [42], 'x', {}]) {
          expect([env, odd, attempt(testSecret, odd)]).toEqual([env, odd, 'config_invalid']);
        }
      }
    } finally {
      process.env['NODE_ENV'] = NODE_ENV;
    }
  });

  it('A-69 a secret that was replaced verifies what it signed, and signs nothing; one that is gone is worth nothing', async () => {
    const [before, after] = [testSecret, 'the next secret of the tests, 32 bytes or more'];
    const adapter = memoryAdapter();
    const clock = (await open()).clock;
    const openOn = wholeProductOn(adapter, clock);
    const old = await openOn({ secret: before });
    const me = await old.signInByCode();
    const { refreshToken } = await issueTokens(old, me);
    const kid = (cookie: string) =>
      (
        JSON.parse(Buffer.from(cookie.replace(/^[^=]*=/, '').split('.')[0]!, 'base64url').toString()) as {
          kid: string;
        }
      ).kid;
    const rotated = await openOn({ secret: after, previousSecrets: [before] });
    expect(await isIn(rotated, me.cookie)).toBe(true);
    const renewed = await rotated.post('/token/refresh', { refreshToken });
    expect(renewed.status).toBe(200);
    const fresh = await rotated.signInByCode(me.email);
    expect(kid(fresh.cookie)).not.toBe(kid(me.cookie));
    expect(await isIn(old, fresh.cookie)).toBe(false);
    const gone = await openOn({ secret: after });
    expect([await isIn(gone, me.cookie), await isIn(gone, fresh.cookie)]).toEqual([false, true]);
    expect((await gone.post('/token/refresh', { refreshToken })).status).toBe(401);
    expect((await gone.post('/token/refresh', { refreshToken: renewed.json.refreshToken })).status).toBe(200);
  });

  function wholeProductOn(adapter: ReturnType<typeof memoryAdapter>, clock: Site['clock']) {
    return (session: { secret: string; previousSecrets?: string[] }) =>
      open({ wrapAdapter: () => adapter, service: { adapter, session, clock } });
  }
});
