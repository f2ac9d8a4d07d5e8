/** Proofs within an account that an attacker has used before: a guest upgrade, a change of address, a verification, an invite. */
import {
  attackersPassword,
  beginsEmailChange,
  startsEnrollment,
  issuesTokens,
  keepsSession,
  linksIdentities,
  registersPasskeys,
  signsUp,
  type Foothold,
  type KeptCredential,
} from './attacker.js';
import { sessionUser, signInElsewhere, userOf, type Stage } from './stage.js';
import { byCode } from './victim.js';

type ValidCredentials = (credentials: readonly KeptCredential[], userId: string) => Promise<string[]>;

export function otherProofs(open: () => Promise<Stage>, validCredentials: ValidCredentials): void {
  /** Starts a guest session on a device that others use before and after. */
  async function guestOnSharedScreen(stage: Stage): Promise<Foothold> {
    const response = await stage.post('/guest');
    return {
      stage,
      email: stage.uniqueEmail(),
      userId: response.json.user.id as string,
      cookie: response.cookie(),
    };
  }

  /** Requests an upgrade of the guest to the attacker's account, and keeps the code. */
  async function beginsUpgrade({ stage, cookie, userId }: Foothold): Promise<KeptCredential[]> {
    const email = stage.uniqueEmail();
    await stage.post('/guest/upgrade/send', { email }, { cookie });
    const input = { email, code: stage.mail.lastCode(email)! };
    const ownerOfAddress = async () => (await stage.adapter.users.findByEmail(email))?.id ?? null;
    return [
      {
        name: 'pending upgrade, from the same session',
        async use() {
          await stage.post('/guest/upgrade', input, { cookie });
          return ownerOfAddress();
        },
      },
      {
        name: 'pending upgrade, from any session',
        async use() {
          await stage.service.emailCode.upgradeGuest({ userId, ...input }).catch(() => undefined);
          return ownerOfAddress();
        },
      },
    ];
  }

  async function attackGuest(stage: Stage) {
    const foothold = await guestOnSharedScreen(stage);
    const credentials = [
      ...keepsSession(foothold),
      ...(await issuesTokens(foothold)),
      ...(await beginsUpgrade(foothold)),
    ];
    return { ...foothold, credentials };
  }

  describe('shared guest session', () => {
    it('gives access to the guest with every credential while there is no victim', async () => {
      const { credentials, userId } = await attackGuest(await open());
      // One of the two upgrades succeeds.
      expect((await validCredentials(credentials, userId)).length).toBe(credentials.length);
    });

    it.each(['code', 'password'])(
      'loses every credential of the guest session after an upgrade by %s',
      async (by) => {
        const stage = await open();
        const { credentials, userId, email, cookie } = await attackGuest(stage);
        stage.clock.advance(1000);
        await stage.post('/guest/upgrade/send', { email }, { cookie });
        const proof =
          by === 'code' ? { code: stage.mail.lastCode(email) } : { password: 'chosen by the victim' };
        const response = await stage.post('/guest/upgrade', { email, ...proof }, { cookie });
        expect(response.status).toBe(200);
        expect(await validCredentials(credentials, userId)).toEqual([]);
        expect(await sessionUser(stage, response.cookie())).toBe(userId);
      },
    );

    it('rejects a passkey, authenticator app, identity or API key for a guest, since it would outlive the session', async () => {
      const stage = await open();
      const { cookie } = await guestOnSharedScreen(stage);
      for (const [route, body] of [
        ['/passkeys/register/start', undefined],
        ['/totp/enroll', undefined],
        ['/oauth/acme/link', {}],
        ['/api-keys', { name: 'CI' }],
        ['/account/email', { email: stage.uniqueEmail() }],
      ] as const) {
        const { status, json } = await stage.post(route, body, { cookie });
        expect([route, status, json.error]).toEqual([route, 403, 'not_authorized']);
      }
    });
  });

  describe('stolen session of the victim', () => {
    it('loses every credential of a stolen session after a change of address that both mailboxes confirm', async () => {
      const stage = await open();
      const old = stage.uniqueEmail();
      const { userId, cookie } = await byCode(stage, old);
      const foothold = { stage, email: old, userId, cookie };
      const [, , ...pendingLinks] = await linksIdentities(foothold);
      const [, ...pendingPasskeys] = await registersPasskeys(foothold);
      const credentials = [
        ...keepsSession(foothold),
        ...(await issuesTokens(foothold)),
        ...pendingLinks,
        ...pendingPasskeys,
        ...(await startsEnrollment(foothold)),
        ...(await beginsEmailChange(foothold)),
      ];
      stage.clock.advance(1000);
      const own = await byCode(stage, old);
      const email = stage.uniqueEmail();
      await stage.post('/account/email', { email }, { cookie: own.cookie });
      const body = { email, code: stage.mail.lastCode(email), currentCode: stage.mail.lastCode(old) };
      const response = await stage.post('/account/email/confirm', body, { cookie: own.cookie });
      expect(response.status).toBe(200);
      expect(await validCredentials(credentials, userId)).toEqual([]);
      expect(await sessionUser(stage, response.cookie())).toBe(userId);
    });
  });

  describe('verification requested by an attacker', () => {
    it('accepts a verification code only in the session that requested it', async () => {
      const stage = await open();
      const email = stage.uniqueEmail();
      const { cookie } = await signsUp(stage, email);
      await stage.post('/account/verify-email/send', undefined, { cookie });
      const code = stage.mail.lastCode(email);
      const elsewhere = await signsUp(stage, stage.uniqueEmail());
      const guest = await stage.post('/guest');
      const attempts: [string, object, string | undefined][] = [
        ['/email-code/verify', { email, code }, undefined],
        ['/account/verify-email', { code }, elsewhere.cookie],
        ['/account/email/confirm', { email, code }, elsewhere.cookie],
        ['/guest/upgrade', { email, code }, guest.cookie()],
      ];
      for (const [route, body, as] of attempts) {
        const response = await stage.post(route, body, { cookie: as });
        expect([route, response.status]).toEqual([route, 401]);
      }
      expect(await stage.adapter.users.findByEmail(email)).toMatchObject({ emailVerified: false });
    });
  });

  describe('untrusted provider with a verified address', () => {
    it.each(['a verified', 'an unverified'])(
      'does not sign in to %s account with an identity from an untrusted provider',
      async (kind) => {
        const stage = await open();
        const email = stage.uniqueEmail();
        const { userId } = kind === 'a verified' ? await byCode(stage, email) : await signsUp(stage, email);
        const subject = stage.accountElsewhere({ email, email_verified: true });
        const response = await signInElsewhere(stage, 'oauth/acme', subject);
        expect([response.location, await userOf(stage, response)]).toEqual([
          '/?error=oauth_error&reason=email_exists',
          null,
        ]);
        expect(await stage.adapter.identities.listForUser(userId)).toEqual([]);
        // Nor after the victim has signed in.
        stage.clock.advance(1000);
        const victim = await byCode(stage, email);
        expect(victim.userId).toBe(userId);
        expect(await userOf(stage, await signInElsewhere(stage, 'oauth/acme', subject))).toBe(null);
      },
    );
  });

  describe('invite to the victim', () => {
    it('does not treat an invite as a proof of the mailbox, and accepts it only from the victim', async () => {
      const stage = await open();
      const owner = await byCode(stage, stage.uniqueEmail());
      const { org } = await stage.service.orgs.create({ name: 'Acme', ownerUserId: owner.userId });
      const email = stage.uniqueEmail();
      const foothold = await signsUp(stage, email);
      const credentials = keepsSession(foothold);
      const { token } = await stage.service.orgs.invite({
        orgId: org.id,
        email,
        invitedByUserId: owner.userId,
      });
      const accept = (cookie: string) => stage.post('/orgs/invites/accept', { token }, { cookie });
      // Not even the token from the mail, and the attempt does not use it up.
      expect((await accept(foothold.cookie)).status).toBe(403);
      expect(await stage.adapter.users.findByEmail(email)).toMatchObject({ emailVerified: false });
      stage.clock.advance(1000);
      const victim = await byCode(stage, email);
      expect((await accept(victim.cookie)).status).toBe(200);
      expect(await validCredentials(credentials, victim.userId)).toEqual([]);
      const members = await stage.get(`/orgs/${org.id}/members`, { cookie: foothold.cookie });
      expect(members.status).toBe(401);
      const login = await stage.post('/password/login', { email, password: attackersPassword });
      expect(login.status).toBe(401);
    });
  });
}
