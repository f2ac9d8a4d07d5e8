/** Challenges over HTTP: the response that carries one, and the client that solves it and repeats the request. */
import { createClient, solveProofOfWork } from 'svc-auth/client';
import { validPassword, type Site } from '../../support/http-site.js';
import type { OpenSite } from '../matrix.js';
import { expectError } from './expect.js';
import { asInProduction } from '../../support/refusal-reason.js';

export function challenges(open: OpenSite): void {
  const openChallenged = (after = 0, signUp: object = {}) =>
    open({ service: { signUp: { ...signUp, challenge: { after, cost: 1 } } } });
  const bodies = (email: string): [string, object][] => [
    ['/password/signup', { email, password: validPassword }],
    ['/email-code/send', { email }],
    ['/magic-link/send', { email }],
  ];

  describe('a challenge', () => {
    it('sign-ups and sends return 403 challenge_required with a challenge, and pass with its solution once', async () => {
      const site = await openChallenged();
      for (const [route, body] of bodies(site.uniqueEmail())) {
        const refused = await site.post(route, body);
        expectError(refused, 403, 'challenge_required');
        expect(asInProduction(refused.json)).toEqual({
          error: 'challenge_required',
          message: expect.any(String),
          challenge: {
            type: 'proof-of-work',
            purpose: route === '/password/signup' ? 'sign_up' : 'send',
            parameters: expect.objectContaining({ algorithm: 'PBKDF2/SHA-256', cost: 1 }),
            signature: expect.any(String),
          },
        });
        const challengeSolution = await solveProofOfWork(refused.json.challenge as Record<string, unknown>);
        expect((await site.post(route, { ...body, challengeSolution })).status).toBe(200);
        const replayed = await site.post(route, { ...body, challengeSolution });
        expectError(replayed, 403, 'challenge_required');
        expect(replayed.json.reason).toBe('challenge_invalid');
      }
    });

    it('is the same for addresses with and without an account', async () => {
      const known = await (await open()).signUp();
      const site = await openChallenged(0, { revealExisting: false });
      for (const email of [known.email, site.uniqueEmail()]) {
        for (const [route, body] of bodies(email))
          expectError(await site.post(route, body), 403, 'challenge_required');
      }
    });

    it('is not required from a browser that has signed in to the account before', async () => {
      const site = await openChallenged(1);
      const { email, response } = await site.signInByCode();
      const cookie = response.cookie('svc_device');
      expectError(await site.post('/email-code/send', { email }), 403, 'challenge_required');
      expect((await site.post('/email-code/send', { email }, { cookie })).status).toBe(200);
      // Not for other addresses.
      const other = { email: site.uniqueEmail() };
      expectError(await site.post('/email-code/send', other, { cookie }), 403, 'challenge_required');
    });

    it('is not required for a login, a code and a password reset', async () => {
      const { email } = await (await open()).signUp();
      const site = await openChallenged();
      const requests: [string, object, number][] = [
        ['/password/login', { email, password: validPassword }, 200],
        ['/password/request-reset', { email }, 200],
        ['/email-code/verify', { email, code: '123456' }, 401],
      ];
      for (const [route, body, status] of requests)
        expect((await site.post(route, body)).status).toBe(status);
    });

    it.each([
      ['null', null],
      ['a number', 7],
      ['an empty string', ''],
      ['no base64', '{}'],
      ['an object', { id: 1 }],
      ['9,000 characters', 'x'.repeat(9_000)],
    ])('a malformed solution is refused: %s', async (_name, challengeSolution) => {
      const site = await openChallenged();
      const body = { email: site.uniqueEmail(), challengeSolution };
      const { status, json } = await site.post('/email-code/send', body);
      expect([400, 403]).toContain(status);
      expect(['invalid_request', 'challenge_required']).toContain(json.error);
      expect(site.mail.messages).toEqual([]);
    });

    it('the client solves the challenge and repeats the request', async () => {
      const site = await openChallenged();
      const solved: unknown[] = [];
      const client = clientOf(site, async (challenge) => {
        solved.push(challenge['type']);
        return solveProofOfWork(challenge);
      });
      const email = site.uniqueEmail();
      expect((await client.emailCode.send({ email })).expiresAt).toBeInstanceOf(Date);
      expect(solved).toEqual(['proof-of-work']);
      const { user } = await client.emailCode.verify({ email, code: site.mail.lastCode(email)! });
      expect(user.email).toBe(email);
    });

    it('the client rejects with the challenge if it has no solver, or if the solution is wrong', async () => {
      const site = await openChallenged();
      const email = site.uniqueEmail();
      const refusal = { code: 'challenge_required', status: 403, challenge: { type: 'proof-of-work' } };
      await expect(clientOf(site).emailCode.send({ email })).rejects.toMatchObject(refusal);
      const wrong = clientOf(site, () => 'x').emailCode.send({ email });
      await expect(wrong).rejects.toMatchObject({ ...refusal, reason: 'challenge_invalid' });
      const failing = clientOf(site, () => Promise.reject(new Error('closed'))).emailCode.send({ email });
      await expect(failing).rejects.toMatchObject({ code: 'challenge_failed', status: 0 });
    });
  });
}

function clientOf(site: Site, solveChallenge?: Parameters<typeof createClient>[0]['solveChallenge']) {
  const baseUrl = `${site.origin}/api/auth`;
  return createClient({ baseUrl, ...(solveChallenge && { solveChallenge }) });
}
