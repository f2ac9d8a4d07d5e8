/** OAuth callbacks that wait at the identity provider while the account or session they belong to ends. */
import { randomUUID } from 'node:crypto';
import { mockIdentityProvider, type MockIdentityProvider } from 'svc-auth/testing';
import { callbackUrl } from '../../../support/every-provider.js';
import { pausableEndpoint } from '../../../support/pause-points.js';
import { claims, endings, startSession, type Person, type Slow } from './slow-service.js';

export function providersOvertaken({ makeSlow, signUp, during, sessionsOf, adapter }: Slow): void {
  describe('callback waiting at the identity provider', () => {
    let idp: MockIdentityProvider;
    let tokens: Awaited<ReturnType<typeof pausableEndpoint>>;

    beforeAll(async () => {
      idp = await mockIdentityProvider({ redirectUri: callbackUrl('/oauth/acme') });
      tokens = await pausableEndpoint(idp.endpoints.tokenEndpoint);
    });
    afterAll(async () => {
      await tokens.close();
      await idp.close();
    });

    async function makeWithProvider() {
      const acme = { ...idp.client, ...idp.endpoints, tokenEndpoint: tokens.url };
      return makeSlow(adapter(), { oauth: { acme } });
    }

    /** Creates an account at the provider, without an address. */
    function subject(): string {
      const name = randomUUID();
      idp.accounts.set(name, {});
      return name;
    }

    async function linkIdentity({ test, userId }: Person): Promise<string> {
      const name = subject();
      const { url, codeVerifier } = await test.service.oauth('acme').getAuthUrl();
      const code = (await idp.signIn(url, name)).searchParams.get('code')!;
      await test.service.oauth('acme').linkIdentity(userId, { code, codeVerifier });
      return name;
    }

    /** Starts a sign-in of this subject, delays it at the token endpoint while `action` runs, and returns its outcome and users. */
    async function signInDuring(person: Person, name: string, action: () => Promise<unknown>) {
      const acme = person.test.service.oauth('acme');
      const { url, transaction } = await acme.startRedirect();
      const { searchParams } = await idp.signIn(url, name);
      const users: string[] = [];
      const outcome = await during(
        tokens.point,
        async () =>
          void users.push((await acme.finishRedirect(searchParams, transaction, startSession)).user.id),
        action,
      );
      return { outcome, users };
    }

    it.each(Object.entries(claims))(
      'does not sign in to an account that was linked before %s',
      async (_name, claim) => {
        const person = await signUp(await makeWithProvider(), false);
        const name = await linkIdentity(person);
        const { users } = await signInDuring(person, name, () => claim(person));
        expect(users).not.toContain(person.userId);
        expect(await sessionsOf(person.userId)).toEqual([]);
        expect(await adapter().identities.listForUser(person.userId)).toEqual([]);
      },
    );

    it('does not sign in to an account that was unlinked or deleted in the meantime', async () => {
      for (const end of ['unlink', 'delete']) {
        const person = await signUp(await makeWithProvider(), true);
        const { userId, test } = person;
        const name = await linkIdentity(person);
        const [identity] = await test.service.identities.list(userId);
        const { users } = await signInDuring(person, name, () =>
          end === 'unlink'
            ? test.service.identities.unlink(userId, identity!.id)
            : test.service.account.deleteUser(userId),
        );
        expect(users).not.toContain(userId);
        expect(await sessionsOf(userId)).toEqual([]);
      }
    });

    it('signs in if a reset keeps the linked identity, since the user is looked up after the reset', async () => {
      const person = await signUp(await makeWithProvider(), true);
      const name = await linkIdentity(person);
      const { outcome, users } = await signInDuring(person, name, () => endings['a password reset']!(person));
      expect([outcome, users]).toEqual(['ok', [person.userId]]);
      const { epoch } = (await adapter().users.findById(person.userId))!;
      expect(epoch).toBe(1);
    });

    it.each([...Object.entries(endings), ...Object.entries(claims)])(
      'does not link an identity to an account after %s has revoked its sessions',
      async (ending, end) => {
        const person = await signUp(await makeWithProvider(), !(ending in claims));
        const { test, userId } = person;
        const acme = test.service.oauth('acme');
        const { token: sessionToken } = await test.service.sessionsProvider.create({ userId });
        const { url, transaction } = await acme.startLink(userId);
        const { searchParams } = await idp.signIn(url, subject());
        const link = () => acme.finishRedirect(searchParams, transaction, { sessionToken });
        expect(await during(tokens.point, link, () => end(person))).toMatch(
          /^(token_invalid|user_not_found)$/,
        );
        expect(await adapter().identities.listForUser(userId)).toEqual([]);
      },
    );
  });
}
