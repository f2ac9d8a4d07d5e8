// Disposable addresses, which may not sign up (docs/sign-up.md, Disposable addresses).
import type { ServiceConfig } from 'svc-auth';
import { pathsOf, validConfig } from '../support/config-faults.js';
import { describeAdapters } from '../support/describe-adapters.js';
import { errorOf, outcomeOf } from '../support/outcomes.js';

type Disposable = NonNullable<NonNullable<ServiceConfig['signUp']>['disposable']>;

const password = 'correct horse battery';
const list = ['throwaway.example', 'xn--bcher-kva.example'];

describeAdapters('Disposable addresses', ({ make, uniqueEmail }) => {
  const open = (disposable: Disposable = {}) =>
    make({ signUp: { disposable: { refuse: true, list, ...disposable } } });
  const at = (domain: string) => uniqueEmail().replace(/@.*/, `@${domain}`);
  type Service = Awaited<ReturnType<typeof open>>['service'];
  const signUp = (service: Service, email: string) =>
    outcomeOf(() => service.emailPassword.signup({ email, password }));

  it.each([
    ['throwaway.example', 'sign_up_disabled'],
    ['THROWAWAY.example', 'sign_up_disabled'],
    ['mail.throwaway.example', 'sign_up_disabled'],
    ['a.b.c.throwaway.example', 'sign_up_disabled'],
    ['bücher.example', 'sign_up_disabled'],
    ['other-throwaway.example', 'ok'],
    ['throwaway.example.com', 'ok'],
    ['example', 'invalid_request'],
    ['example.com', 'ok'],
  ])('decide by the domain and the domains above it: %s', async (domain, expected) => {
    const { service } = await open();
    expect(await signUp(service, at(domain))).toBe(expected);
  });

  it('are those of the package by default, and may be allowed one by one', async () => {
    const { service } = await make({ signUp: { disposable: { refuse: true } } });
    expect(await signUp(service, at('mailinator.com'))).toBe('sign_up_disabled');
    expect(await signUp(service, at('example.com'))).toBe('ok');
    const except = ['ours.throwaway.example'];
    const lenient = await open({ except });
    expect(await signUp(lenient.service, at('ours.throwaway.example'))).toBe('ok');
    expect(await signUp(lenient.service, at('theirs.throwaway.example'))).toBe('sign_up_disabled');
  });

  it('are not refused by default', async () => {
    const { service } = await make();
    expect(await signUp(service, at('mailinator.com'))).toBe('ok');
  });

  it('are refused with the same error whether or not they have an account', async () => {
    const email = at('throwaway.example');
    const before = await make();
    await before.service.emailPassword.signup({ email, password });
    const { service } = await open();
    for (const address of [email, at('throwaway.example')]) {
      const error = await errorOf(() => service.emailPassword.signup({ email: address, password }));
      expect(error).toMatchObject({ code: 'sign_up_disabled', reason: 'email_disposable' });
    }
  });

  it('of existing users still sign in, by password, code and link', async () => {
    const email = at('throwaway.example');
    const before = await make();
    const { user } = await before.service.emailPassword.signup({ email, password });
    const { service, mail } = await open();
    expect((await service.emailPassword.login({ email, password })).user.id).toBe(user.id);
    await service.emailCode.sendCode({ email });
    const signedIn = await service.emailCode.verify({ email, code: mail.lastCode(email)! });
    expect(signedIn).toMatchObject({ user: { id: user.id }, created: false });
    await service.magicLink.sendLink({ email });
    expect(mail.messages.at(-1)!.kind).toBe('magic_link');
  });

  it('without an account get a mail without a code, and no account', async () => {
    const { service, mail } = await open();
    const email = at('throwaway.example');
    const known = uniqueEmail();
    const [first, second] = [
      await service.emailCode.sendCode({ email }),
      await service.emailCode.sendCode({ email: known }),
    ];
    expect(Object.keys(first)).toEqual(Object.keys(second));
    expect(mail.messages.find(({ to }) => to === email)).toMatchObject({ kind: 'sign_up_refused' });
    expect(await service.users.find({ email })).toBeNull();
  });

  it('cannot be reached by a code that was mailed before they were refused', async () => {
    const before = await make();
    const email = at('throwaway.example');
    await before.service.emailCode.sendCode({ email });
    const { service } = await open();
    const error = await errorOf(() =>
      service.emailCode.verify({ email, code: before.mail.lastCode(email)! }),
    );
    expect(error).toMatchObject({ code: 'sign_up_disabled', reason: 'email_disposable' });
  });
});

describe('The option signUp.disposable', () => {
  it.each([[['.example']], [['Throwaway.example']], [['example']], ['throwaway.example']])(
    'refuses a list that is not of domain names: %j',
    (malformed) => {
      const paths = pathsOf({ ...validConfig, signUp: { disposable: { refuse: true, list: malformed } } });
      expect(paths.map((path) => path?.replace(/\.\d+$/, ''))).toEqual(['signUp.disposable.list']);
    },
  );
});
