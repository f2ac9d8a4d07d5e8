/** Resolvers behind the guard, with Apollo. */
import type { NestApplication } from '../../support/nest-applications.js';
import { signIn, stranger, type Visitor } from './visitor.js';

export function describeGraphQL(load: () => Promise<{ startGraphQL(): Promise<NestApplication> }>): void {
  describe('a resolver of GraphQL', () => {
    let site: NestApplication;
    let ada: Visitor;
    beforeAll(async () => {
      site = await (await load()).startGraphQL();
      ada = await signIn(site);
    });
    afterAll(() => site?.close());
    const ask = async (who: Visitor, query: string, headers: Record<string, string> = {}) =>
      (await who.post('/graphql', { query }, headers)).body;
    const codesOf = (body: Record<string, unknown>) =>
      (body['errors'] as { extensions: { code: string } }[]).map(({ extensions }) => extensions.code);

    it('has the user of the session', async () => {
      expect(await ask(ada, '{ viewer { email } }')).toEqual({
        data: { viewer: { email: 'ada@example.com' } },
      });
    });

    it('is refused with our code in the extensions', async () => {
      expect(codesOf(await ask(stranger(site), '{ viewer { email } }'))).toEqual(['token_invalid']);
      expect(codesOf(await ask(ada, '{ admin { email } }'))).toEqual(['not_authorized']);
    });

    it('that is public has a user if there is a session', async () => {
      expect(await ask(stranger(site), '{ maybe { email } }')).toEqual({ data: { maybe: { email: null } } });
      expect(await ask(ada, '{ maybe { email } }')).toEqual({
        data: { maybe: { email: 'ada@example.com' } },
      });
    });

    it('that runs with many others of the same request keeps its user', async () => {
      const fields = Array.from({ length: 20 }, (_, n) => `v${n}: viewer { email } m${n}: maybe { email }`);
      const { data } = await ask(ada, `{ ${fields.join(' ')} }`);
      const emails = Object.values(data as Record<string, { email: string }>).map(({ email }) => email);
      expect(new Set(emails)).toEqual(new Set(['ada@example.com']));
      expect(emails).toHaveLength(40);
    });

    it('is refused if a page of another site sends the mutation', async () => {
      const mutation = 'mutation { add(count: 1) }';
      expect(await ask(ada, mutation)).toEqual({ data: { add: 2 } });
      expect(codesOf(await ask(ada, mutation, { origin: 'https://evil.example' }))).toEqual([
        'not_authorized',
      ]);
    });

    it('translates errors of the service that it throws', async () => {
      const { errors } = await ask(ada, '{ limited { email } }');
      expect(errors).toMatchObject([{ extensions: { code: 'rate_limit_exceeded', retryAfterMs: 90_000 } }]);
    });
  });
}
