// Programs call methods with anything: an unparsed body, an unset variable. Each call must resolve,
// or reject with a code.
import { requireApiKey, requireOrgRole, requireSession } from 'svc-auth';
import { everything, failureOf, methods, named, outcomeOf, owners, uniqueEmail } from './public-methods.js';
import { validArguments } from './valid-arguments.js';
import type { TestService } from '../support/make-service.js';

const malformed: readonly unknown[] = [undefined, null, 42, 'x', []];

/** Every combination of `count` values. */
function combinations(count: number, values: readonly unknown[]): unknown[][] {
  if (count === 0) return [[]];
  return combinations(count - 1, values).flatMap((head) => values.map((value) => [...head, value]));
}

describe('a method that is called with malformed arguments', () => {
  let test: TestService;

  beforeAll(async () => {
    test = await everything();
  });

  it('exists for every provider', () => {
    expect([...owners(test.service).keys()].sort()).toEqual([
      ...new Set(methods.map(({ owner }) => owner).sort()),
    ]);
    expect(methods.length).toBeGreaterThan(40);
  });

  it.each(named)('%s rejects only with a code', async (_name, method) => {
    for (const args of combinations(method.parameters.length, [...malformed, {}])) {
      expect(await outcomeOf(test.service, method, args)).toMatch(/^[a-z_]+$/);
    }
  });

  it.each(
    named.filter(
      ([
        ,
        {
          parameters: [first],
        },
      ]) => /^(input|owner)$/.test(first?.name.getText() ?? ''),
    ),
  )('%s rejects an input that is not an object', async (_name, method) => {
    const isOptional = method.parameters[0]?.initializer !== undefined;
    for (const input of malformed) {
      const expected = isOptional && (input ?? null) === null ? 'resolved' : 'invalid_request';
      expect(await outcomeOf(test.service, method, [input])).toBe(expected);
    }
  });

  it.each(
    named.filter(([, { parameters }]) =>
      /^(options|context|changes)$/.test(parameters.at(-1)?.name.getText() ?? ''),
    ),
  )('%s rejects options and a context that are not objects', async (_name, method) => {
    const { service } = test;
    const before = (await validArguments(test))[`${method.owner}.${method.name}`];
    expect(before).toBeDefined();
    for (const last of [42, 'x', []]) {
      expect(await outcomeOf(service, method, [...before!, last])).toBe('invalid_request');
    }
    // null counts as not given. The call may fail for another reason, such as an unknown code.
    const failure = await failureOf(service, method, [...before!, null]);
    expect(failure?.message ?? '').not.toMatch(/must be an object/);
  });
});

it('rejects an input without an id or a token as one with an unknown id or token', async () => {
  const { service } = await everything();
  const { orgs, totp, webauthn } = service;
  const calls: Record<string, () => Promise<unknown>> = {
    user_not_found: () => orgs.create({ name: 'Acme' } as Parameters<typeof orgs.create>[0]),
    org_error: () => orgs.invite({ email: uniqueEmail() } as Parameters<typeof orgs.invite>[0]),
    token_invalid: () => totp.finishSignIn({ code: '123456' } as Parameters<typeof totp.finishSignIn>[0]),
  };
  for (const [code, call] of Object.entries(calls)) await expect(call()).rejects.toMatchObject({ code });
  const response = {} as Parameters<typeof webauthn.finishAuthentication>[0];
  await expect(webauthn.finishAuthentication(response)).rejects.toMatchObject({ code: 'token_invalid' });
});

describe('a guard', () => {
  it('throws without its required options when it is created', async () => {
    const { service } = await everything();
    for (const options of malformed) {
      const make = () => requireOrgRole(service, options as Parameters<typeof requireOrgRole>[1]);
      expect(make).toThrow(/requireOrgRole/);
      expect(make).toThrow(expect.objectContaining({ code: 'invalid_request' }));
    }
  });

  it('accepts null as no options, and rejects a string', async () => {
    const { service } = await everything();
    for (const guard of [requireApiKey, requireSession]) {
      const make = (options: unknown) => guard(service, options as object);
      expect(make(null)).toBeInstanceOf(Function);
      expect(() => make('x')).toThrow(expect.objectContaining({ code: 'invalid_request' }));
    }
  });
});

it('rejects a malformed limit of purgeExpired with invalid_request', async () => {
  const { service } = await everything();
  for (const limit of [-1, 1.5, Number.NaN, '1']) {
    await expect(service.purgeExpired({ limit: limit as number })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  }
});
