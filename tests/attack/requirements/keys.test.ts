// Token secrets: the separation of token kinds, the comparison of MACs, and which secrets are accepted.
import { createHash } from 'node:crypto';
import { memoryAdapter } from 'svc-auth';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { filesBelow, repository } from '../../architecture/source-graph.js';
import { watchedService } from '../../support/leak-hooks.js';
import { testSecret } from '../../support/make-service.js';
import type { Site } from '../../support/http-site.js';
import { outcomeOf } from '../../support/outcomes.js';
import { enrollTotp, isSignedIn, issueTokens } from '../../support/site-actions.js';
import { fullSiteOpener, type FullSite } from '../../support/full-site.js';

const newPassword = 'another horse battery';

/** Issues one secret of every kind that the product hands out, by the name of its kind. */
async function oneOfEach(site: FullSite) {
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
  const { code } = await enrollTotp(site, strong.cookie);
  await site.post('/email-code/send', { email: strong.email });
  const first = { email: strong.email, code: site.mail.lastCode(strong.email) };
  const pending = value((await site.post('/email-code/verify', first)).cookie('svc_mfa'));
  const session = value(me.cookie);
  const licenseKey = site.config.licenseKey!;
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
    licenseKey,
  };
  return { tokens, code, invited };
}

type Kind = keyof Awaited<ReturnType<typeof oneOfEach>>['tokens'];

/** Presents a secret wherever one is read and returns whether it was accepted. `takes` lists the kinds that are valid there. */
const readers: Record<
  string,
  { takes: Kind[]; show: (site: Site, token: string, code: string, cookie: string) => Promise<boolean> }
> = {
  'the session cookie': {
    takes: ['session', 'accessToken'],
    show: (site, token) => isSignedIn(site, `svc_session=${token}`),
  },
  'the bearer token of a session': {
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
  'a reset token': {
    takes: ['reset'],
    show: async (site, token) => (await site.post('/password/reset', { token, newPassword })).status === 200,
  },
  'an invite token': {
    takes: ['invite'],
    show: async (site, token, _code, cookie) =>
      (await site.post('/orgs/invites/accept', { token }, { cookie })).status === 200,
  },
  'a pending sign-in': {
    takes: ['pending'],
    show: async (site, token, code) =>
      (await site.post('/mfa/verify', { code }, { cookie: `svc_mfa=${token}` })).status === 200,
  },
  'an OAuth transaction': {
    // A transaction alone signs no one in without the provider's response.
    takes: [],
    show: async (site, token) => {
      const entry = createHash('sha256').update('x').digest('base64url').slice(0, 16);
      const cookie = `svc_oauth=${entry}.${token}`;
      const { location } = await site.get('/oauth/acme/callback?code=x&state=x', { cookie });
      return location !== '/?error=oauth_error&reason=expired';
    },
  },
};

/** Returns lines that compare a secret, or a value derived from one, by `===` or `!==`. */
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

describe('Token secrets', () => {
  const open = fullSiteOpener();

  //
  it('rejects a secret of one kind wherever another kind is expected', async () => {
    const site = await open();
    const { tokens, code, invited } = await oneOfEach(site);
    for (const [reader, { takes, show }] of Object.entries(readers)) {
      for (const kind of (Object.keys(tokens) as Kind[]).filter((each) => !takes.includes(each))) {
        const accepted = await show(site, tokens[kind], code(), invited.cookie);
        expect([kind, reader, accepted]).toEqual([kind, reader, false]);
      }
    }
    expect(site.log.filter(({ level }) => level === 'error')).toEqual([]);
  });

  //
  it.each(Object.entries(readers).filter(([, { takes }]) => takes.length > 0))(
    'accepts a secret of the right kind as %s',
    async (_name, { takes, show }) => {
      const site = await open();
      const { tokens, code, invited } = await oneOfEach(site);
      expect(await show(site, tokens[takes[0]!], code(), invited.cookie)).toBe(true);
    },
  );

  //
  it.each(Object.entries(readers))(
    'rejects %s with a MAC that is shortened, extended, empty or not ASCII, without an error in the log',
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
        // A MAC can contain a '_', so the part behind the last one can be a single character.
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

  //
  it('compares no MAC, digest or state by === in src, and calls timingSafeEqual in a single file', () => {
    const src = path.join(repository, 'src');
    const textOf = (file: string) => readFileSync(path.join(src, file), 'utf8');
    const files = filesBelow(src, /\.ts$/);
    const securityFiles = files.filter((file) => /^(crypto|core|providers|http|engine)\//.test(file));
    expect(securityFiles.length).toBeGreaterThan(50);
    expect(securityFiles.flatMap((file) => comparisons(textOf(file)))).toEqual([]);
    expect(files.filter((file) => textOf(file).includes('timingSafeEqual('))).toEqual(['crypto/digest.ts']);
    expect(comparisons('if (signature === expected) {\n  return a !== sha256(b);')).toHaveLength(2);
  });

  //
  it('rejects an empty secret, and a short or repetitive one in production; logs a warning for it elsewhere', () => {
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
        for (const invalid of [
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
          expect([env, invalid, attempt(invalid)]).toEqual([env, invalid, 'config_invalid']);
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
        for (const invalid of [[''], [' '], [undefined], [42], 'x', {}]) {
          expect([env, invalid, attempt(testSecret, invalid)]).toEqual([env, invalid, 'config_invalid']);
        }
      }
    } finally {
      process.env['NODE_ENV'] = NODE_ENV;
    }
  });

  //
  it('verifies but does not sign with a previous secret, and rejects tokens of a removed one', async () => {
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
    expect(await isSignedIn(rotated, me.cookie)).toBe(true);
    const renewed = await rotated.post('/token/refresh', { refreshToken });
    expect(renewed.status).toBe(200);
    const fresh = await rotated.signInByCode(me.email);
    expect(kid(fresh.cookie)).not.toBe(kid(me.cookie));
    expect(await isSignedIn(old, fresh.cookie)).toBe(false);
    const gone = await openOn({ secret: after });
    expect([await isSignedIn(gone, me.cookie), await isSignedIn(gone, fresh.cookie)]).toEqual([false, true]);
    expect((await gone.post('/token/refresh', { refreshToken })).status).toBe(401);
    expect((await gone.post('/token/refresh', { refreshToken: renewed.json.refreshToken })).status).toBe(200);
  });

  function wholeProductOn(adapter: ReturnType<typeof memoryAdapter>, clock: Site['clock']) {
    return (session: { secret: string; previousSecrets?: string[] }) =>
      open({ wrapAdapter: () => adapter, service: { adapter, session, clock } });
  }
});
