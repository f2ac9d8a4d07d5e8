// The client with tokens instead of cookies, against a server on another origin with the CORS headers of
// docs/single-page-applications.md.
import express from 'express';
import { createClient, type AuthClientOptions, type Fetch, type TokenStorage } from 'svc-auth/client';
import { codeAt } from '../support/authenticator-app.js';
import { encryptionKey } from '../support/every-provider.js';
import { openSite, validPassword, type Site } from '../support/http-site.js';
import { license } from '../support/make-pro-service.js';

const frontEnd = 'https://app.example';
const minute = 60_000;

let site: Site;

beforeEach(async () => {
  site = await openSite(express, undefined, {
    pro: true,
    before: (app) => app.use(allowFrontEnd),
    service: {
      ...license,
      encryptionKey,
      session: { bearer: true },
      providers: { totp: true, account: true },
    },
  });
});

afterEach(() => site.close());

/** As in docs/single-page-applications.md. */
const allowFrontEnd: express.RequestHandler = (req, res, next) => {
  const { origin } = req.headers;
  res.vary('Origin');
  if (origin !== frontEnd) return next();
  res.set('Access-Control-Allow-Origin', origin);
  res.set('Access-Control-Expose-Headers', 'Retry-After');
  if (req.method !== 'OPTIONS') return next();
  res.set('Access-Control-Allow-Methods', 'GET, POST, PUT, PATCH, DELETE');
  res.set('Access-Control-Allow-Headers', 'authorization, content-type, svc-session, svc-mfa, svc-user');
  res.set('Access-Control-Max-Age', '600');
  res.status(204).end();
};

interface Seen {
  url: string;
  cookie: string | null;
}

/** A browser that asks before every request, as the Fetch standard requires, and that has no cookies of the other site. */
function browser(seen: Seen[] = []): Fetch {
  const simple = new Set(['accept']);
  return async (url, init) => {
    expect(init.credentials).toBe('omit');
    const names = Object.keys(init.headers)
      .map((name) => name.toLowerCase())
      .filter((name) => !simple.has(name));
    const preflight = await fetch(url, {
      method: 'OPTIONS',
      headers: {
        origin: frontEnd,
        'access-control-request-method': init.method,
        'access-control-request-headers': names.join(','),
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe(frontEnd);
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
    const allowed = preflight.headers.get('access-control-allow-headers')!.split(', ');
    expect(names.filter((name) => !allowed.includes(name))).toEqual([]);
    const { signal: _, credentials: _omitted, ...rest } = init;
    const headers = { ...init.headers, origin: frontEnd, 'sec-fetch-site': 'cross-site' };
    const response = await fetch(url, { ...rest, headers });
    expect(response.headers.get('access-control-allow-origin')).toBe(frontEnd);
    seen.push({ url, cookie: response.headers.get('set-cookie') });
    return response;
  };
}

const open = (options: Partial<AuthClientOptions> = {}) =>
  createClient({ baseUrl: `${site.origin}/api/auth`, bearer: true, fetch: browser(), ...options });

function sharedStorage(): TokenStorage & { value: string | null } {
  return {
    value: null,
    get() {
      return this.value;
    },
    set(value) {
      this.value = value;
    },
  };
}

function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

const rotations = (seen: Seen[]) => seen.filter(({ url }) => url.endsWith('/session/refresh')).length;

describe('the client with a bearer session', () => {
  it('signs in on another site without cookies, and signs out on the server', async () => {
    const seen: Seen[] = [];
    const client = open({ fetch: browser(seen) });
    const email = site.uniqueEmail();
    const signedUp = await client.password.signup({ email, password: validPassword });
    expect(Object.keys(signedUp)).toEqual(['user']);
    expect((await client.session()).user?.id).toBe(signedUp.user!.id);
    await client.logout();
    expect((await client.session()).user).toBeNull();
    expect(seen.filter(({ cookie }) => cookie !== null)).toEqual([]);
  });

  it('rotates the tokens once for parallel requests when the access token has expired', async () => {
    const seen: Seen[] = [];
    const client = open({ fetch: browser(seen) });
    const { user } = await client.password.signup({ email: site.uniqueEmail(), password: validPassword });
    for (let round = 1; round <= 3; round += 1) {
      site.clock.advance(16 * minute);
      const sessions = await Promise.all(Array.from({ length: 5 }, () => client.session()));
      expect(sessions.map((session) => session.user?.id)).toEqual(Array(5).fill(user!.id));
      expect(rotations(seen)).toBe(round);
    }
  });

  it('keeps the session in a storage, which tabs share', async () => {
    const storage = sharedStorage();
    const seen: Seen[] = [];
    const [first, second] = [1, 2].map(() => open({ bearer: { storage }, fetch: browser(seen) }));
    const { user } = await first!.password.signup({ email: site.uniqueEmail(), password: validPassword });
    expect((await second!.session()).user?.id).toBe(user!.id);
    site.clock.advance(16 * minute);
    const both = await Promise.all([first!.session(), second!.session()]);
    expect(both.map((session) => session.user?.id)).toEqual([user!.id, user!.id]);
    site.clock.advance(minute);
    // Neither tab has kept a token that was replaced.
    expect((await first!.session()).user?.id).toBe(user!.id);
    expect((await open({ bearer: { storage } }).session()).user?.id).toBe(user!.id);
    await second!.logout();
    expect([storage.value, (await first!.session()).user]).toEqual([null, null]);
  });

  it('refuses changes of a page whose tab shares a storage in which another user has signed in', async () => {
    const storage = sharedStorage();
    const [first, second] = [1, 2].map(() => open({ bearer: { storage } }));
    await first!.password.signup({ email: site.uniqueEmail(), password: validPassword });
    const email = site.uniqueEmail();
    await second!.password.signup({ email, password: validPassword });
    const change = { currentPassword: validPassword, newPassword: 'another correct horse' };
    const refusal = { code: 'session_changed' };
    await expect(first!.account.changePassword(change)).rejects.toMatchObject(refusal);
    await expect(first!.logout()).rejects.toMatchObject(refusal);
    expect((await first!.session()).user?.email).toBe(email);
    expect((await first!.account.changePassword(change)).user.email).toBe(email);
  });

  it('forgets the tokens if the session has ended on the server', async () => {
    const storage = sharedStorage();
    const client = open({ bearer: { storage } });
    const { user } = await client.password.signup({ email: site.uniqueEmail(), password: validPassword });
    await site.service.users.signOut(user!.id);
    expect((await client.session()).user).toBeNull();
    expect(storage.value).toBeNull();
  });

  it('keeps the tokens of a sign-in that overtakes a rotation of the session before it', async () => {
    const storage = sharedStorage();
    const online = browser();
    let holdRefresh = async () => {};
    const fetch: Fetch = async (url, init) => {
      const response = await online(url, init);
      if (url.endsWith('/session/refresh')) await holdRefresh();
      return response;
    };
    const client = open({ bearer: { storage }, fetch });
    const first = { email: site.uniqueEmail(), password: validPassword };
    const second = { email: site.uniqueEmail(), password: validPassword };
    for (const outcome of ['refused', 'rotated']) {
      const { user } = await client.password.signup({ ...first, email: site.uniqueEmail() });
      if (outcome === 'refused') await site.service.users.signOut(user!.id);
      else site.clock.advance(16 * minute);
      const signedIn = gate();
      const asked = gate();
      holdRefresh = async () => {
        asked.open();
        await signedIn.opened;
      };
      const waiting = client.session();
      await asked.opened;
      // Another tab, which shares the storage, signs in while the response is on its way.
      const other = open({ bearer: { storage: { get: () => null, set: (value) => storage.set(value) } } });
      const account = outcome === 'refused' ? first : second;
      const { user: newUser } = await other.password.signup(account);
      signedIn.open();
      await waiting;
      holdRefresh = async () => {};
      expect((await client.session()).user?.id).toBe(newUser!.id);
    }
  });

  it('completes the second step', async () => {
    const client = open();
    const email = site.uniqueEmail();
    await client.password.signup({ email, password: validPassword });
    const { secret } = await client.totp.enroll();
    await client.totp.confirm({ code: codeAt(secret, site.clock.now()) });
    site.clock.advance(30_000);
    const other = open();
    await expect(other.password.login({ email, password: validPassword })).rejects.toMatchObject({
      code: 'mfa_required',
    });
    await other.mfa.verify({ code: codeAt(secret, site.clock.now()) });
    expect((await other.session()).user?.email).toBe(email);
  });

  it('takes the new tokens of a changed password', async () => {
    const client = open();
    await client.password.signup({ email: site.uniqueEmail(), password: validPassword });
    const newPassword = 'another correct horse';
    await client.account.changePassword({ currentPassword: validPassword, newPassword });
    expect((await client.session()).user).not.toBeNull();
  });

  it('keeps the tokens if the service cannot be reached', async () => {
    const storage = sharedStorage();
    let isOnline = true;
    const online = browser();
    const fetch: Fetch = async (url, init) => {
      if (!isOnline) throw new TypeError('offline');
      return online(url, init);
    };
    const client = open({ bearer: { storage }, fetch });
    const { user } = await client.password.signup({ email: site.uniqueEmail(), password: validPassword });
    site.clock.advance(16 * minute);
    isOnline = false;
    await expect(client.session()).rejects.toMatchObject({ code: 'network_error' });
    isOnline = true;
    expect((await client.session()).user?.id).toBe(user!.id);
  });
});

describe('a page that the CORS headers do not allow', () => {
  it('gets no consent for the headers of a bearer session', async () => {
    const preflight = await fetch(`${site.origin}/api/auth/password/login`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://evil.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'svc-session',
      },
    });
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
    expect(preflight.headers.get('access-control-allow-headers')).toBeNull();
  });
});
