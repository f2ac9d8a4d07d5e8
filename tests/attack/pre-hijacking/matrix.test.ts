// Pre-hijacking (T2, T13): every class of it against every proof of a mailbox. After the proof nothing of the attacker's works, nor ever again.
import { describeAdapters } from '../../support/describe-adapters.js';
import { classes } from './classes.js';
import type { Loot } from './attacker.js';
import { otherProofs } from './other-proofs.js';
import {
  openIdentityProviders,
  openStage,
  sessionUser,
  type IdentityProviders,
  type Stage,
} from './stage.js';
import { byCode, goesOn, moves, proofs, victimsPassword, type Arrival } from './victim.js';

const day = 24 * 60 * 60_000;

/** Names of what still reaches a user. */
async function reaching(loot: readonly Loot[], userId: string): Promise<string[]> {
  const names: string[] = [];
  for (const { name, reaches } of loot) if ((await reaches()) === userId) names.push(name);
  return names;
}

/** The victim sets up what people set up, and comes back the next day. */
async function settlesIn(stage: Stage, email: string, { cookie }: Arrival): Promise<Arrival> {
  const body = { newPassword: victimsPassword };
  const set = await stage.post('/account/password', body, { cookie });
  // Whoever came by reset has one.
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
    it('is real: without a victim each of its parts works', async () => {
      const stage = await open();
      const { loot, userId } = await attack(stage, stage.address());
      expect(loot).not.toEqual([]);
      // The address of an identity that is not verified was never anybody's.
      if (userId === null) return;
      for (const [at, { name }] of loot.entries()) {
        // On an account of its own: one part may be the end of another.
        const another = await attack(stage, stage.address());
        expect(await reaching(another.loot.slice(at, at + 1), another.userId!)).toEqual([name]);
      }
    });

    it.each(Object.entries(proofs))('ends with %s', async (_proof, prove) => {
      const stage = await open();
      const email = stage.address();
      const { loot, userId } = await attack(stage, email);
      stage.clock.advance(1000);
      const victim = await prove(stage, email);
      // The id stays where there was an account.
      if (userId !== null) expect(victim.userId).toBe(userId);
      expect(await reaching(loot, victim.userId)).toEqual([]);
      expect(await sessionUser(stage, victim.cookie)).toBe(victim.userId);
      const again = await settlesIn(stage, email, victim);
      expect(again.userId).toBe(victim.userId);
      expect(await reaching(loot, victim.userId)).toEqual([]);
      expect(await sessionUser(stage, again.cookie)).toBe(victim.userId);
    });

    it.each(Object.entries(moves))(
      'gains nothing by %s, and ends with the proof that follows',
      async (_move, move) => {
        const stage = await open();
        const email = stage.address();
        const { loot, userId } = await attack(stage, email);
        stage.clock.advance(1000);
        const { answer, own } = await move(stage, email);
        // Never a merge: an account that is there stays, and so does the victim's own.
        expect(answer.status).toBe(userId === null ? 200 : answer.json.error === 'email_exists' ? 409 : 401);
        const kept = await goesOn(stage, own, answer);
        const victim = await byCode(stage, email);
        expect(victim.userId).toBe(userId ?? own.userId);
        for (const id of [victim.userId, own.userId]) expect(await reaching(loot, id)).toEqual([]);
        if (userId !== null) expect(await sessionUser(stage, kept.cookie)).toBe(own.userId);
      },
    );
  });

  otherProofs(open, reaching);
});
