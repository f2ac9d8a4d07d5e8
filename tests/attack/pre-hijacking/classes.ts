/** The five classes of Sudhodanan and Paverd, "Pre-hijacked accounts" (2022): what the attacker does before the victim signs up. */
import {
  beginsEmailChange,
  startsEnrollment,
  createsApiKey,
  enrollsApp,
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
  type KeptCredential,
} from './attacker.js';
import { providerRoutes, signInElsewhere, type Stage } from './stage.js';

export interface Attack {
  credentials: KeptCredential[];
  /** The account that the attacker has prepared; null if none has the address. */
  userId: string | null;
}

export type AttackClass = (stage: Stage, email: string) => Promise<Attack>;

export const classes: Record<string, AttackClass> = {
  async 'classic-federated merge'(stage, email) {
    const foothold = await signsUp(stage, email);
    return { userId: foothold.userId, credentials: keepsPassword(foothold) };
  },
  async 'unexpired session identifier'(stage, email) {
    const foothold = await signsUp(stage, email);
    const credentials = [
      ...keepsSession(foothold),
      ...(await createsApiKey(foothold)),
      ...(await issuesTokens(foothold)),
    ];
    return { userId: foothold.userId, credentials };
  },
  async 'trojan identifier (identities and passkeys)'(stage, email) {
    const foothold = await signsUp(stage, email);
    const credentials = [...(await linksIdentities(foothold)), ...(await registersPasskeys(foothold))];
    return { userId: foothold.userId, credentials };
  },
  async 'trojan identifier (second factor)'(stage, email) {
    const foothold = await signsUp(stage, email);
    const enrolled = await enrollsApp(foothold);
    return { userId: foothold.userId, credentials: [...keepsPassword(foothold), ...enrolled] };
  },
  async 'trojan identifier (phone number)'(stage, email) {
    const foothold = await upgradesGuestByPhone(stage, email);
    return { userId: foothold.userId, credentials: [...keepsSession(foothold), ...keepsPhone(foothold)] };
  },
  async 'unexpired email change'(stage, email) {
    const foothold = await signsUp(stage, email);
    return { userId: foothold.userId, credentials: await beginsEmailChange(foothold) };
  },
  async 'unexpired email change (other pending actions)'(stage, email) {
    const foothold = await signsUp(stage, email);
    const credentials = [...(await hasMailsSent(foothold)), ...(await startsEnrollment(foothold))];
    return { userId: foothold.userId, credentials };
  },
  async 'non-verifying identity provider'(stage, email) {
    for (const route of providerRoutes) {
      const subject = stage.accountElsewhere({ email, email_verified: false });
      const response = await signInElsewhere(stage, route, subject);
      // The attacker gets a separate account, without the address, which is not reserved either.
      const { user } = (await stage.get('/session', { cookie: response.cookie() })).json as { user: object };
      expect(user).toMatchObject({ email: null, emailVerified: false });
    }
    return { userId: null, credentials: entersAddressElsewhere(stage, email) };
  },
};
