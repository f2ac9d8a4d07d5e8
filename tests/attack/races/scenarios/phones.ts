/** Races for phone numbers that are added to accounts. */
import { scenario, type World } from '../scenario.js';

/** A verified user who has asked for a code for the number. */
async function ask({ service, mail, texts, person }: World, phone: string) {
  const email = person();
  await service.emailCode.sendCode({ email });
  const { user } = await service.emailCode.verify({ email, code: mail.lastCode(email)! });
  await service.phoneOtp.sendLinkCode({ userId: user.id, phone });
  return { userId: user.id, code: texts.lastCode(phone)! };
}

export const phones = [
  scenario({
    name: 'adds a number to one of two accounts that both have a code for it',
    refusals: ['code_not_found', 'invalid_request', 'max_attempts_exceeded', 'rate_limit_exceeded'],
    async prepare(world) {
      const phone = world.phone();
      return { phone, asked: [await ask(world, phone), await ask(world, phone)] };
    },
    call: ({ phone, asked }, index) => ({
      method: 'phoneOtp.link',
      args: [{ ...asked[index % asked.length], phone }],
    }),
    lockedRows: ({ asked }) => ({ table: 'svc_users', where: ['id', asked[0]!.userId] }),
    async expect({ tally }, { phone, asked }, { adapter, service }) {
      expect(tally['ok']).toBeGreaterThanOrEqual(1);
      const owner = (await adapter.identities.findUser('phone', phone))?.id;
      expect(asked.map(({ userId }) => userId)).toContain(owner);
      for (const { userId } of asked) {
        const { phones: numbers } = await service.phoneOtp.list(userId);
        expect(numbers).toHaveLength(userId === owner ? 1 : 0);
      }
    },
  }),
];
