// A key with a misspelled name would have no effect: every method refuses it, and names the one that was meant.
import type ts from 'typescript';
import type { Service } from 'svc-auth';
import type { TestService } from '../support/make-service.js';
import { everything, failureOf, named } from './public-methods.js';
import { validArguments } from './valid-arguments.js';

/** Types without keys that the package names: a handler has the application's functions. */
const otherTypes =
  /^(string( \| undefined)?|OrgRole|URLSearchParams|UserDataHandler|OnSessionEnd|ServiceEventName.*|\(.*)$/;

function takesObject(parameter: ts.ParameterDeclaration | undefined): boolean {
  return !otherTypes.test(parameter?.type?.getText() ?? '');
}

/** Lists, whose records have their faults in the report: tests/moving/import. */
const lists = ['UsersProvider.import(records)'];

/** Every parameter that is an object, of every public method. */
const parameters = named.flatMap(([name, method]) =>
  method.parameters.flatMap((parameter, position) =>
    takesObject(parameter) && !lists.includes(`${name}(${parameter.name.getText()})`)
      ? [{ title: `${name}(${parameter.name.getText()})`, name, method, position }]
      : [],
  ),
);

describe('a method that is called with an unknown key', () => {
  let test: TestService;
  /** One set for all calls: none of them changes anything. */
  let valid: Readonly<Record<string, readonly unknown[]>>;

  beforeAll(async () => {
    test = await everything();
    valid = await validArguments(test);
  });

  it('is every method with an input, options or a context', () => {
    expect(parameters.length).toBeGreaterThan(130);
    const contexts = named.filter(([, method]) => method.parameters.at(-1)?.name.getText() === 'context');
    expect(contexts.length).toBeGreaterThan(50);
    for (const [name] of contexts) expect(parameters.map((each) => each.name)).toContain(name);
  });

  it.each(parameters)('$title refuses it by its name', async ({ name, method, position }) => {
    const leading = valid[name];
    expect(leading).toBeDefined();
    const args = method.parameters.map((parameter, index) => {
      return index < leading!.length ? leading![index] : takesObject(parameter) ? {} : undefined;
    });
    args[position] = { ...(args[position] as object | undefined), passwordHahs: 'x' };
    const failure = await failureOf(test.service, method, args);
    expect(failure).toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('passwordHahs is not a known key'),
    });
  });

  it('refuses it before close() has ended anything', async () => {
    const { service } = await everything();
    const options = { timeoutMs: 1000, timeoutMS: 1 };
    await expect(service.close(options)).rejects.toMatchObject({
      message: 'timeoutMS is not a known key; did you mean timeoutMs?',
    });
    expect(await service.users.count()).toBe(0);
  });

  it.each<[string, (service: Service) => Promise<unknown>, string]>([
    [
      'users.create',
      (service) =>
        service.users.create({ email: 'a@example.com', passwordHash: '$2b$' } as { email: string }),
      'passwordHash is not a known key; did you mean password?',
    ],
    [
      'users.create with an actor',
      (service) => service.users.create({}, { actor: { type: 'system', ID: 'job' } as { type: 'system' } }),
      'actor.ID is not a known key; did you mean id?',
    ],
    [
      'sessionsProvider.create with a device',
      (service) => service.sessionsProvider.create({ userId: 'user', device: { useragent: 'x' } as object }),
      'device.useragent is not a known key; did you mean userAgent?',
    ],
    [
      'emailCode.verify with a context',
      (service) =>
        service.emailCode.verify({ email: 'a@example.com', code: '1' }, { startsession: true } as object),
      'startsession is not a known key; did you mean startSession?',
    ],
  ])('suggests the most similar key to %s', async (_name, call, message) => {
    await expect(call(test.service)).rejects.toMatchObject({ code: 'invalid_request', message });
  });

  it('accepts a key whose value is undefined', async () => {
    const input = { email: undefined, passwordHash: undefined };
    await expect(test.service.users.create(input)).resolves.toMatchObject({ email: null });
  });
});
