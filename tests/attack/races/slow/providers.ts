/** Callbacks that wait at the identity provider while what they began from ends. */
import { randomUUID } from 'node:crypto';
import { mockIdentityProvider, type MockIdentityProvider } from 'svc-auth/testing';
import { callbackOf } from '../../../support/every-provider.js';
import { heldEndpoint } from '../../../support/held.js';
import { claims, endings, startSession, type Person, type Slow } from './slow-service.js';

export function providersOvertaken({ makeSlow, signedUp, during, sessionsOf, adapter }: Slow): void {
  describe('that waits at the identity provider', () => {
    let idp: MockIdentityProvider;
    let tokens: Awaited<ReturnType<typeof heldEndpoint>>;

    beforeAll(async () => {
      idp = await mockIdentityProvider({ redirectUri: callbackOf('/oauth/acme') });
      tokens = await heldEndpoint(idp.endpoints.tokenEndpoint);
    });
    afterAll(async () => {
      await tokens.close();
      await idp.close();
    });

    async function makeWithProvider() {
      const acme = { ...idp.client, ...idp.endpoints, tokenEndpoint: tokens.url };
      return makeSlow(adapter(), { oauth: { acme } });
    }

    /** An account at the provider, without an address there. */
    function subject(): string {
      const name = randomUUID();
      idp.accounts.set(name, {});
      return name;
    }

    async function linked({ test, userId }: Person): Promise<string> {
      const name = subject();
      const { url, codeVerifier } = await test.service.oauth('acme').getAuthUrl();
      const code = (await idp.signIn(url, name)).searchParams.get('code')!;
      await test.service.oauth('acme').linkIdentity(userId, { code, codeVerifier });
      return name;
    }

    /** A sign-in of this subject, held at the provider's token endpoint, and whom it signed in. */
    async function signInDuring(person: Person, name: string, meanwhile: () => Promise<unknown>) {
      const acme = person.test.service.oauth('acme');
      const { url, transaction } = await acme.startRedirect();
      const { searchParams } = await idp.signIn(url, name);
      const users: string[] = [];
      const outcome = await during(
        tokens.point,
        async () =>
          void users.push((await acme.finishRedirect(searchParams, transaction, startSession)).user.id),
        meanwhile,
      );
      return { outcome, users };
    }

    it.each(Object.entries(claims))(
      'signs nobody in to the account that it was linked to before %s',
      async (_name, claim) => {
        const someone = await signedUp(await makeWithProvider(), false);
        const name = await linked(someone);
        const { users } = await signInDuring(someone, name, () => claim(someone));
        expect(users).not.toContain(someone.userId);
        expect(await sessionsOf(someone.userId)).toEqual([]);
        expect(await adapter().identities.listForUser(someone.userId)).toEqual([]);
      },
    );

    it('signs nobody in to an account that it was unlinked from, or that is gone, meanwhile', async () => {
      for (const end of ['unlink', 'delete']) {
        const someone = await signedUp(await makeWithProvider(), true);
        const { userId, test } = someone;
        const name = await linked(someone);
        const [identity] = await test.service.identities.list(userId);
        const { users } = await signInDuring(someone, name, () =>
          end === 'unlink'
            ? test.service.identities.unlink(userId, identity!.id)
            : test.service.account.deleteUser(userId),
        );
        expect(users).not.toContain(userId);
        expect(await sessionsOf(userId)).toEqual([]);
      }
    });

    it('is a sign-in of its own where a reset leaves the identity to the account: who it is was asked after the reset', async () => {
      const someone = await signedUp(await makeWithProvider(), true);
      const name = await linked(someone);
      const { outcome, users } = await signInDuring(someone, name, () => endings['a reset']!(someone));
      expect([outcome, users]).toEqual(['ok', [someone.userId]]);
      const { epoch } = (await adapter().users.findById(someone.userId))!;
      expect(epoch).toBe(1);
    });

    it.each([...Object.entries(endings), ...Object.entries(claims)])(
      'links nothing to an account whose sessions %s has ended',
      async (ending, end) => {
        const someone = await signedUp(await makeWithProvider(), !(ending in claims));
        const { test, userId } = someone;
        const acme = test.service.oauth('acme');
        const { token: sessionToken } = await test.service.sessionsProvider.create({ userId });
        const { url, transaction } = await acme.startLink(userId);
        const { searchParams } = await idp.signIn(url, subject());
        const link = () => acme.finishRedirect(searchParams, transaction, { sessionToken });
        expect(await during(tokens.point, link, () => end(someone))).toMatch(
          /^(token_invalid|user_not_found)$/,
        );
        expect(await adapter().identities.listForUser(userId)).toEqual([]);
      },
    );
  });
}
