// Pre-hijacking: every class of attack against every proof of a mailbox. After the proof, none of the attacker's credentials works.
import { describeAdapters } from '../../support/describe-adapters.js';
import { classes } from './classes.js';
import type { KeptCredential } from './attacker.js';
import { otherProofs } from './other-proofs.js';
import {
  openIdentityProviders,
  openStage,
  sessionUser,
  type IdentityProviders,
  type Stage,
} from './stage.js';
import { byCode, continueSession, moves, proofs, victimsPassword, type Arrival } from './victim.js';

const day = 24 * 60 * 60_000;

/** Returns the names of the credentials that still authenticate as the user. */
async function validCredentials(credentials: readonly KeptCredential[], userId: string): Promise<string[]> {
  const names: string[] = [];
  for (const { name, use } of credentials) if ((await use()) === userId) names.push(name);
  return names;
}

/** The victim sets a password and signs in again the next day. */
async function returnNextDay(stage: Stage, email: string, { cookie }: Arrival): Promise<Arrival> {
  const body = { newPassword: victimsPassword };
  const set = await stage.post('/account/password', body, { cookie });
  // A victim who proved the mailbox by a reset already has a password.
  expect([200, 401]).toContain(set.status);
  stage.clock.advance(day);
  return byCode(stage, email);
}

const everyClass = Object.entries(classes);

describeAdapters('Pre-hijacking', ({ adapter }) => {
  let idps: IdentityProviders;
  const stages: Stage[] = [];

  beforeAll(async () => {
    idps = await openIdentityProviders();
  });
  afterAll(async () => {
    for (const idp of Object.values(idps)) await idp.close();
  });
  afterEach(async () => {
    for (const stage of stages.splice(0)) await stage.close();
  });

  async function open(): Promise<Stage> {
    const stage = await openStage(adapter(), idps);
    stages.push(stage);
    return stage;
  }

  describe.each(everyClass)('%s', (_class, attack) => {
    it('gains access with every credential of the attack while there is no victim', async () => {
      const stage = await open();
      const { credentials, userId } = await attack(stage, stage.uniqueEmail());
      expect(credentials).not.toEqual([]);
      // The address of an unverified identity never belonged to an account.
      if (userId === null) return;
      for (const [at, { name }] of credentials.entries()) {
        // Uses a new account for each, since one credential may invalidate another.
        const another = await attack(stage, stage.uniqueEmail());
        expect(await validCredentials(another.credentials.slice(at, at + 1), another.userId!)).toEqual([
          name,
        ]);
      }
    });

    it.each(Object.entries(proofs))(
      'loses every credential of the attack after %s',
      async (_proof, prove) => {
        const stage = await open();
        const email = stage.uniqueEmail();
        const { credentials, userId } = await attack(stage, email);
        stage.clock.advance(1000);
        const victim = await prove(stage, email);
        // An account that existed keeps its id.
        if (userId !== null) expect(victim.userId).toBe(userId);
        expect(await validCredentials(credentials, victim.userId)).toEqual([]);
        expect(await sessionUser(stage, victim.cookie)).toBe(victim.userId);
        const again = await returnNextDay(stage, email, victim);
        expect(again.userId).toBe(victim.userId);
        expect(await validCredentials(credentials, victim.userId)).toEqual([]);
        expect(await sessionUser(stage, again.cookie)).toBe(victim.userId);
      },
    );

    it.each(Object.entries(moves))(
      'gains nothing from %s, and loses every credential after the proof that follows',
      async (_move, move) => {
        const stage = await open();
        const email = stage.uniqueEmail();
        const { credentials, userId } = await attack(stage, email);
        stage.clock.advance(1000);
        const { answer, own } = await move(stage, email);
        // Accounts are never merged: an existing account remains, and so does the victim's own.
        expect(answer.status).toBe(userId === null ? 200 : answer.json.error === 'email_exists' ? 409 : 401);
        const kept = await continueSession(stage, own, answer);
        const victim = await byCode(stage, email);
        expect(victim.userId).toBe(userId ?? own.userId);
        for (const id of [victim.userId, own.userId])
          expect(await validCredentials(credentials, id)).toEqual([]);
        if (userId !== null) expect(await sessionUser(stage, kept.cookie)).toBe(own.userId);
      },
    );
  });

  otherProofs(open, validCredentials);
});
