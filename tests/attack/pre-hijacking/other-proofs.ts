/** Proofs that are made from within an account, where an attacker was before: a guest's upgrade, a change of address, a verification, an invite. */
import {
  attackersPassword,
  beginsEmailChange,
  beginsToEnrol,
  issuesTokens,
  keepsSession,
  linksIdentities,
  registersPasskeys,
  signsUp,
  type Foothold,
  type Loot,
} from './attacker.js';
import { sessionUser, signInElsewhere, userOf, type Stage } from './stage.js';
import { byCode } from './victim.js';

type Reaching = (loot: readonly Loot[], userId: string) => Promise<string[]>;

export function otherProofs(open: () => Promise<Stage>, reaching: Reaching): void {
  /** A guest on a screen that others use before and after. */
  async function guestOnSharedScreen(stage: Stage): Promise<Foothold> {
    const answer = await stage.post('/guest');
    return { stage, email: stage.address(), userId: answer.json.user.id as string, cookie: answer.cookie() };
  }

  /** Asks for the guest to become the attacker's account, and keeps the code. */
  async function beginsUpgrade({ stage, cookie, userId }: Foothold): Promise<Loot[]> {
    const email = stage.address();
    await stage.post('/guest/upgrade/send', { email }, { cookie });
    const input = { email, code: stage.mail.lastCode(email)! };
    const holder = async () => (await stage.adapter.users.findByEmail(email))?.id ?? null;
    return [
      {
        name: 'upgrade under way, by the session',
        async reaches() {
          await stage.post('/guest/upgrade', input, { cookie });
          return holder();
        },
      },
      {
        name: 'upgrade under way, whoever asks the session',
        async reaches() {
          await stage.service.emailCode.upgradeGuest({ userId, ...input }).catch(() => undefined);
          return holder();
        },
      },
    ];
  }

  async function plantedInGuest(stage: Stage) {
    const foothold = await guestOnSharedScreen(stage);
    const loot = [
      ...keepsSession(foothold),
      ...(await issuesTokens(foothold)),
      ...(await beginsUpgrade(foothold)),
    ];
    return { ...foothold, loot };
  }

  describe('A guest session that others have', () => {
    it('is real: before the victim comes everything works', async () => {
      const { loot, userId } = await plantedInGuest(await open());
      // Of the two upgrades one is made.
      expect((await reaching(loot, userId)).length).toBe(loot.length);
    });

    it.each(['code', 'password'])('ends when the guest becomes a user by a %s', async (by) => {
      const stage = await open();
      const { loot, userId, email, cookie } = await plantedInGuest(stage);
      stage.clock.advance(1000);
      await stage.post('/guest/upgrade/send', { email }, { cookie });
      const proof =
        by === 'code' ? { code: stage.mail.lastCode(email) } : { password: 'chosen by the victim' };
      const answer = await stage.post('/guest/upgrade', { email, ...proof }, { cookie });
      expect(answer.status).toBe(200);
      expect(await reaching(loot, userId)).toEqual([]);
      expect(await sessionUser(stage, answer.cookie())).toBe(userId);
    });

    it('takes no passkey, app, identity or API key, which would outlive it', async () => {
      const stage = await open();
      const { cookie } = await guestOnSharedScreen(stage);
      for (const [route, body] of [
        ['/passkeys/register/start', undefined],
        ['/totp/enroll', undefined],
        ['/oauth/acme/link', {}],
        ['/api-keys', { name: 'CI' }],
        ['/account/email', { email: stage.address() }],
      ] as const) {
        const { status, json } = await stage.post(route, body, { cookie });
        expect([route, status, json.error]).toEqual([route, 403, 'not_authorized']);
      }
    });
  });

  describe('A session of the victim that others have', () => {
    it('ends with a change of address that both mailboxes confirm, and so does what was begun in it', async () => {
      const stage = await open();
      const old = stage.address();
      const { userId, cookie } = await byCode(stage, old);
      const foothold = { stage, email: old, userId, cookie };
      const [, , ...begunLinks] = await linksIdentities(foothold);
      const [, ...begunPasskeys] = await registersPasskeys(foothold);
      const loot = [
        ...keepsSession(foothold),
        ...(await issuesTokens(foothold)),
        ...begunLinks,
        ...begunPasskeys,
        ...(await beginsToEnrol(foothold)),
        ...(await beginsEmailChange(foothold)),
      ];
      stage.clock.advance(1000);
      const own = await byCode(stage, old);
      const email = stage.address();
      await stage.post('/account/email', { email }, { cookie: own.cookie });
      const body = { email, code: stage.mail.lastCode(email), currentCode: stage.mail.lastCode(old) };
      const answer = await stage.post('/account/email/confirm', body, { cookie: own.cookie });
      expect(answer.status).toBe(200);
      expect(await reaching(loot, userId)).toEqual([]);
      expect(await sessionUser(stage, answer.cookie())).toBe(userId);
    });
  });

  describe('A verification that an attacker asks for', () => {
    it('is a code that is good for nothing but the session that asked', async () => {
      const stage = await open();
      const email = stage.address();
      const { cookie } = await signsUp(stage, email);
      await stage.post('/account/verify-email/send', undefined, { cookie });
      const code = stage.mail.lastCode(email);
      const elsewhere = await signsUp(stage, stage.address());
      const guest = await stage.post('/guest');
      const tries: [string, object, string | undefined][] = [
        ['/email-code/verify', { email, code }, undefined],
        ['/account/verify-email', { code }, elsewhere.cookie],
        ['/account/email/confirm', { email, code }, elsewhere.cookie],
        ['/guest/upgrade', { email, code }, guest.cookie()],
      ];
      for (const [route, body, as] of tries) {
        const answer = await stage.post(route, body, { cookie: as });
        expect([route, answer.status]).toEqual([route, 401]);
      }
      expect(await stage.adapter.users.findByEmail(email)).toMatchObject({ emailVerified: false });
    });
  });

  describe('A provider that is not trusted with addresses, and calls the victim’s verified', () => {
    it.each(['that is proven', 'that waits for its proof'])('opens no account %s', async (which) => {
      const stage = await open();
      const email = stage.address();
      const { userId } =
        which === 'that is proven' ? await byCode(stage, email) : await signsUp(stage, email);
      const subject = stage.accountElsewhere({ email, email_verified: true });
      const answer = await signInElsewhere(stage, 'oauth/acme', subject);
      expect([answer.location, await userOf(stage, answer)]).toEqual([
        '/?error=oauth_error&reason=email_exists',
        null,
      ]);
      expect(await stage.adapter.identities.listForUser(userId)).toEqual([]);
      // Nor later, when the victim has come.
      stage.clock.advance(1000);
      const victim = await byCode(stage, email);
      expect(victim.userId).toBe(userId);
      expect(await userOf(stage, await signInElsewhere(stage, 'oauth/acme', subject))).toBe(null);
    });
  });

  describe('An invite to the victim', () => {
    it('is no proof: the account that waits for the victim cannot accept it, and the victim can', async () => {
      const stage = await open();
      const owner = await byCode(stage, stage.address());
      const { org } = await stage.service.orgs.create({ name: 'Acme', ownerUserId: owner.userId });
      const email = stage.address();
      const foothold = await signsUp(stage, email);
      const loot = keepsSession(foothold);
      const { token } = await stage.service.orgs.invite({
        orgId: org.id,
        email,
        invitedByUserId: owner.userId,
      });
      const accept = (cookie: string) => stage.post('/orgs/invites/accept', { token }, { cookie });
      // Not even with the link of the mail, and that does not use it up.
      expect((await accept(foothold.cookie)).status).toBe(403);
      expect(await stage.adapter.users.findByEmail(email)).toMatchObject({ emailVerified: false });
      stage.clock.advance(1000);
      const victim = await byCode(stage, email);
      expect((await accept(victim.cookie)).status).toBe(200);
      expect(await reaching(loot, victim.userId)).toEqual([]);
      const members = await stage.get(`/orgs/${org.id}/members`, { cookie: foothold.cookie });
      expect(members.status).toBe(401);
      const login = await stage.post('/password/login', { email, password: attackersPassword });
      expect(login.status).toBe(401);
    });
  });
}
