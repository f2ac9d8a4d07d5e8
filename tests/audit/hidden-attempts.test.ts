// A flood of refused attempts hides none at an account: its record, or the count that stands for it, names the account and the client.
import { randomUUID } from 'node:crypto';
import { memoryAdapter } from 'svc-auth';
import { FailureCounts, windowMs, type FailedAttempt } from '../../src/core/audit/failure-counts.js';
import { makeService } from '../support/make-service.js';
import { errorOf } from '../support/outcomes.js';

const password = 'correct horse battery';
const flooder = { ip: '203.0.113.7' };

async function audited() {
  const adapter = memoryAdapter();
  const { service } = await makeService({ adapter, audit: true });
  const email = 'victim@example.com';
  const { user } = await service.emailPassword.signup({ email, password });
  const guess = (wrong: string, context: object) =>
    errorOf(() => service.emailPassword.login({ email, password: wrong }, context));
  const flood = async (ip: string, count: number) => {
    for (let one = 0; one < count; one += 1)
      await errorOf(() => service.magicLink.verify('forged', { ip: ip.replace('*', one.toString(16)) }));
  };
  const invent = async (context: object) => {
    for (let one = 0; one < 70; one += 1) {
      const invented = { email: `a@invented${one}.example`, password };
      await errorOf(() => service.emailPassword.login(invented, context));
    }
  };
  /** What was recorded about the victim, each as its client and how many attempts it stands for. */
  const recorded = async () => {
    await service.close();
    const records = await adapter.audit!.list({ userId: user.id, outcome: 'failure' }, { limit: 100 });
    return records.reverse().map(({ personal, details }) => ({
      ip: (JSON.parse(personal ?? '{}') as { ip?: string }).ip,
      count: (JSON.parse(details) as { count?: number }).count ?? 1,
    }));
  };
  return { guess, flood, invent, recorded, user, service, adapter };
}

describe('attempts at an account during a flood', () => {
  it('are recorded with account and client if their own client has made the flood', async () => {
    const { guess, invent, recorded } = await audited();
    await invent(flooder);
    for (let count = 0; count < 4; count += 1) await guess(`wrong password ${count}`, flooder);
    expect(await recorded()).toEqual(Array(4).fill({ ip: flooder.ip, count: 1 }));
  });

  it('leave no origin once the user is anonymized, also if they were counted beyond those of one client', async () => {
    const { user, service, adapter } = await audited();
    const change = { userId: user.id, currentPassword: 'another wrong password', newPassword: password };
    // One household, whose members have an address each.
    for (let count = 0; count < 80; count += 1) {
      const context = { ip: `2001:db8:1:${count.toString(16)}::1`, userAgent: 'Home' };
      await errorOf(() => service.emailPassword.changePassword(change, context));
    }
    await service.audit.anonymize(user.id);
    await service.close();
    const records = await adapter.audit!.list({ action: 'sign_in.failed' }, { limit: 200 });
    expect(records.some(({ details }) => details.includes('"count"'))).toBe(true);
    expect(records.filter(({ personal }) => personal !== null)).toEqual([]);
    expect(records.filter(({ userId }) => userId !== user.id)).toEqual([]);
  });

  it('are recorded with account and client if other clients have made the flood', async () => {
    const { guess, flood, recorded } = await audited();
    await flood('2001:db8:*::1', 700);
    await guess('wrong password', { ip: '198.51.100.1' });
    expect(await recorded()).toEqual([{ ip: '198.51.100.1', count: 1 }]);
  });
});

it('an address of a client is stored up to 64 characters', async () => {
  const { guess, recorded } = await audited();
  await guess('wrong password', { ip: 'x'.repeat(5_000) });
  expect(await recorded()).toEqual([{ ip: 'x'.repeat(64), count: 1 }]);
});

describe('the budget of attempts whose account was read', () => {
  const now = 1_000;
  const counts = () => {
    const all = new FailureCounts();
    all.take(now);
    const admit = (userId: string | undefined, ip: string, address?: string) => {
      const origin = address === undefined ? {} : { origin: { address } };
      const facts = { action: 'sign_in.failed', reason: 'wrong', actors: [{ type: 'anonymous' as const }] };
      return all.admit({ facts: { ...facts, userId, ...origin }, now, request: { actors: [], ip } });
    };
    const counted = () => all.take(now + windowMs).map((attempt) => summaryOf(attempt));
    return { all, admit, counted };
  };
  const summaryOf = ({ facts, request }: FailedAttempt) => ({
    userId: facts.userId ?? null,
    ip: request?.ip,
    count: (facts.details as { count: number }).count,
  });
  const addressOf = (count: number) => `10.0.${Math.floor(count / 250)}.${count % 250}`;

  it('stores the first two of each account, also of a client that is over its own number', () => {
    const { admit, counted } = counts();
    for (let count = 0; count < 60; count += 1) admit(randomUUID(), flooder.ip);
    const victim = randomUUID();
    const stored = [1, 2, 3, 4, 5].map(() => admit(victim, flooder.ip));
    expect(stored).toEqual([true, true, false, false, false]);
    expect(counted()).toEqual([{ userId: victim, ip: flooder.ip, count: 3 }]);
  });

  it('stores the first two of each account beyond the number of all, and counts the next per client', () => {
    const { admit, counted } = counts();
    for (let count = 0; count < 700; count += 1) admit(randomUUID(), addressOf(count));
    const victim = randomUUID();
    for (const ip of ['192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.2', '192.0.2.2']) admit(victim, ip);
    expect(counted()).toEqual([
      { userId: victim, ip: '192.0.2.1', count: 1 },
      { userId: victim, ip: '192.0.2.2', count: 2 },
    ]);
  });

  it('counts the attempts at one account that many clients attack without the clients, and others with theirs', () => {
    const { admit, counted } = counts();
    const [attacked, victim] = [randomUUID(), randomUUID()];
    for (let count = 0; count < 3_000; count += 1) admit(attacked, addressOf(count));
    for (let count = 0; count < 3; count += 1) admit(victim, '192.0.2.1');
    const all = counted();
    expect(all).toHaveLength(1_002);
    expect(all).toContainEqual({ userId: attacked, ip: undefined, count: 3_000 - 600 - 1_000 });
    expect(all).toContainEqual({ userId: victim, ip: '192.0.2.1', count: 1 });
  });

  it('keeps a bounded number of records and counts for any number of accounts and clients', () => {
    const { admit, counted } = counts();
    let stored = 0;
    for (let count = 0; count < 10_000; count += 1)
      for (let twice = 0; twice < 3; twice += 1) stored += Number(admit(randomUUID(), addressOf(count)));
    expect(stored).toBe(1_000);
    const all = counted();
    expect(all).toHaveLength(2_001);
    expect(all.reduce((sum, { count }) => sum + count, stored)).toBe(30_000);
    expect(all.at(-1)).toEqual({ userId: null, ip: undefined, count: 27_000 });
  });

  it('does not bring the origin back to a count that was anonymized, when more attempts follow', () => {
    const { all, admit, counted } = counts();
    const person = randomUUID();
    for (let count = 0; count < 65; count += 1) admit(person, flooder.ip);
    all.forget([person]);
    admit(person, flooder.ip);
    expect(counted()).toEqual([{ userId: person, ip: undefined, count: 56 }]);
  });

  it('is not used up by attempts that name no account, nor the other way around', () => {
    const { admit } = counts();
    for (let count = 0; count < 1_000; count += 1) admit(undefined, addressOf(count), `${count}***`);
    expect(admit(randomUUID(), '192.0.2.1')).toBe(true);
    const others = counts();
    for (let count = 0; count < 1_000; count += 1) others.admit(randomUUID(), addressOf(count));
    expect(others.admit(undefined, '192.0.2.1', 'a***')).toBe(true);
  });
});
