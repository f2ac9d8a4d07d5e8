// What belongs to a person is changed by that person: the methods of such routes check the session of the request once more, and fail in
// a route or a page that has checked no access.
import ts from 'typescript';
import { readLibrary, visit } from '../architecture/source-graph.js';
import { routeCheck, type RouteCheck } from '../../src/core/sessions/request-context.js';
import { internals } from '../../src/core/internals.js';
import type { TestService } from '../support/make-service.js';
import { everything, methods, owners, verifiedUser } from './public-methods.js';
import { validArguments } from './valid-arguments.js';

/** Routes whose method takes the session in another form, or changes nothing that only the person may change. */
const exempt: Record<string, string> = {
  declineInvite: 'ends what the organization has offered to the address',
  removeConnectedApp: 'a method of the OAuth server, which refuses impersonations by its context',
  acceptInvite: 'a membership, which the organization has offered to the address',
  issueTokens: 'takes the session that asks as its second argument',
};

interface PersonalRoute {
  endpoint: string;
  handler: string;
  /** The calls of methods: the accessor of the provider, and the name. */
  calls: { accessor: string; name: string }[];
}

/** The routes of users, not of administrators, that refuse impersonations. */
const routes: PersonalRoute[] = readLibrary()
  .filter(({ path }) => path.startsWith('http/routes/') && !path.startsWith('http/routes/admin/'))
  .flatMap(({ syntax }) => {
    const found: PersonalRoute[] = [];
    visit(syntax, (node) => {
      if (!ts.isCallExpression(node) || node.expression.getText() !== 'endpoint') return;
      const [definition] = node.arguments;
      if (!definition || !ts.isObjectLiteralExpression(definition)) return;
      const text = (name: string) =>
        definition.properties.find((each) => each.name?.getText() === name)?.getText() ?? '';
      if (!/'(no-impersonation|recent)'/.test(text('access'))) return;
      const handler = text('handle');
      const calls = [...handler.matchAll(/\b(?:service\.)?(\w+)\s*\.(\w+)\(/g)]
        .map(([, accessor, name]) => ({ accessor: accessor!, name: name! }))
        .filter(({ name }) => methods.some((method) => method.name === name));
      const owner = node.parent;
      const endpoint = ts.isVariableDeclaration(owner) ? owner.name.getText() : 'linkEndpoint';
      found.push({ endpoint, handler, calls });
    });
    return found;
  });

/** Calls on behalf of a user who is named as the actor: the method compares the epoch of the session. */
const namesActor = (handler: string) => /actorOf\(|actingUserId|\bby\(|invitedByUserId/.test(handler);
const personal = routes.filter(({ endpoint, handler }) => !namesActor(handler) && !(endpoint in exempt));
const personalCalls = personal.flatMap(({ endpoint, calls }) =>
  calls.map((call) => [`${call.accessor}.${call.name} of ${endpoint}`, call] as const),
);

describe('a route that only the user may call', () => {
  it('is found', () => {
    expect(personal.length).toBeGreaterThan(28);
    expect(personalCalls.length).toBeGreaterThanOrEqual(personal.length);
  });

  it.each(personal.map((each) => [each.endpoint, each] as const))(
    '%s passes its context, which says what was checked',
    (_name, { handler, calls }) => {
      expect(calls).not.toEqual([]);
      expect(handler).toMatch(/\bcontext\b/);
    },
  );
});

//
describe('a method that only the user may call', () => {
  let test: TestService;
  let valid: Readonly<Record<string, readonly unknown[]>>;
  let live: NonNullable<RouteCheck['session']>;
  let impersonation: NonNullable<RouteCheck['session']>;

  beforeAll(async () => {
    test = await everything();
    valid = await validArguments(test);
    const { service } = test;
    const [admin, user] = [await verifiedUser(test), await verifiedUser(test)];
    const { sessions } = service[internals];
    live = await sessions.authenticate(service.createSessionToken(user.id).token);
    const { token } = await service.sessionsProvider.impersonate(admin.id, user.id);
    impersonation = await sessions.authenticate(token);
  });

  /** Resolves the code of the error of a call with the context of a route. */
  async function codeOf(call: { accessor: string; name: string }, check: RouteCheck): Promise<string> {
    const { service } = test;
    const accessor = call.accessor === 'provider' ? 'google' : call.accessor;
    const owner = (service as unknown as Record<string, object>)[accessor]!.constructor.name;
    const method = methods.find((each) => each.owner === owner && each.name === call.name);
    const args = method!.parameters.map((_, index) => valid[`${owner}.${call.name}`]?.[index]);
    const position = method!.parameters.findIndex(({ name }) => name.getText() === 'context');
    args[position === -1 ? method!.parameters.length - 1 : position] = { [routeCheck]: check };
    const target = owners(service).get(owner) as Record<string, (...args: readonly unknown[]) => unknown>;
    try {
      await target[call.name]!(...args);
      return 'resolved';
    } catch (error) {
      return (error as { code: string }).code;
    }
  }

  it.each(personalCalls)('%s fails in a route that has checked no access', async (_name, call) => {
    expect(await codeOf(call, { session: null, inPerson: false })).toBe('internal_error');
  });

  it.each(personalCalls)('%s refuses an impersonation and another user', async (_name, call) => {
    expect(await codeOf(call, { session: impersonation, inPerson: true })).toBe('not_authorized');
    expect(await codeOf(call, { session: live, inPerson: true })).toBe('not_authorized');
  });
});
