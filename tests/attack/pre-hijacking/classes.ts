/** The five classes of Sudhodanan and Paverd, "Pre-hijacked accounts" (2022): what the attacker does before the victim comes. */
import {
  beginsEmailChange,
  beginsToEnrol,
  createsApiKey,
  enrolsApp,
  entersAddressElsewhere,
  hasMailsSent,
  issuesTokens,
  keepsPassword,
  keepsPhone,
  keepsSession,
  linksIdentities,
  registersPasskeys,
  signsUp,
  upgradesGuestByPhone,
  type Loot,
} from './attacker.js';
import { doors, signInElsewhere, type Stage } from './stage.js';

export interface Attack {
  loot: Loot[];
  /** The account that the attacker has prepared; null where there is none with the address. */
  userId: string | null;
}

export type AttackClass = (stage: Stage, email: string) => Promise<Attack>;

export const classes: Record<string, AttackClass> = {
  async 'classic-federated merge'(stage, email) {
    const foothold = await signsUp(stage, email);
    return { userId: foothold.userId, loot: keepsPassword(foothold) };
  },
  async 'unexpired session identifier'(stage, email) {
    const foothold = await signsUp(stage, email);
    const loot = [
      ...keepsSession(foothold),
      ...(await createsApiKey(foothold)),
      ...(await issuesTokens(foothold)),
    ];
    return { userId: foothold.userId, loot };
  },
  async 'trojan identifier (identities and passkeys)'(stage, email) {
    const foothold = await signsUp(stage, email);
    const loot = [...(await linksIdentities(foothold)), ...(await registersPasskeys(foothold))];
    return { userId: foothold.userId, loot };
  },
  async 'trojan identifier (second factor)'(stage, email) {
    const foothold = await signsUp(stage, email);
    const enrolled = await enrolsApp(foothold);
    return { userId: foothold.userId, loot: [...keepsPassword(foothold), ...enrolled] };
  },
  async 'trojan identifier (phone number)'(stage, email) {
    const foothold = await upgradesGuestByPhone(stage, email);
    return { userId: foothold.userId, loot: [...keepsSession(foothold), ...keepsPhone(foothold)] };
  },
  async 'unexpired email change'(stage, email) {
    const foothold = await signsUp(stage, email);
    return { userId: foothold.userId, loot: await beginsEmailChange(foothold) };
  },
  async 'unexpired email change (whatever else is pending)'(stage, email) {
    const foothold = await signsUp(stage, email);
    const loot = [...(await hasMailsSent(foothold)), ...(await beginsToEnrol(foothold))];
    return { userId: foothold.userId, loot };
  },
  async 'non-verifying identity provider'(stage, email) {
    for (const door of doors) {
      const subject = stage.accountElsewhere({ email, email_verified: false });
      const answer = await signInElsewhere(stage, door, subject);
      // An account of the attacker's own: the address is neither theirs nor reserved.
      const { user } = (await stage.get('/session', { cookie: answer.cookie() })).json as { user: object };
      expect(user).toMatchObject({ email: null, emailVerified: false });
    }
    return { userId: null, loot: entersAddressElsewhere(stage, email) };
  },
};
