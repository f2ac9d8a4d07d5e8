// When the client signals to the browser: after certain responses of the service, and after no other one.
import { AuthClientError, createClient } from 'svc-auth/client';

interface Answer {
  status?: number;
  body?: unknown;
}

const list = {
  rpId: 'acme.test',
  userId: 'user',
  credentialIds: ['aaaa', 'bbbb'],
  name: 'ada@acme.test',
  displayName: '',
};
const all = ['all', { rpId: 'acme.test', userId: 'user', allAcceptedCredentialIds: ['aaaa', 'bbbb'] }];
const details = ['details', { rpId: 'acme.test', userId: 'user', name: 'ada@acme.test', displayName: '' }];

const before = ['PublicKeyCredential', 'navigator', 'document'].map(
  (name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const,
);

afterEach(() => {
  for (const [name, descriptor] of before) {
    if (descriptor) Object.defineProperty(globalThis, name, descriptor);
    else delete (globalThis as Record<string, unknown>)[name];
  }
});

/** The locks of a browser that matter here: one name, whether another page has it. */
function locksOf(isHeld: () => boolean) {
  const asked: object[] = [];
  return {
    asked,
    request: async (
      _name: string,
      options: { ifAvailable?: boolean },
      run: (lock: object | null) => unknown,
    ) => {
      asked.push(options);
      return run(options.ifAvailable === true && isHeld() ? null : {});
    },
  };
}

function setUp(
  answers: Record<string, Answer | Error | (() => Answer)>,
  { isHeld = () => false, rejects = false }: { isHeld?: () => boolean; rejects?: boolean } = {},
) {
  const signaled: [string, object][] = [];
  const requested: string[] = [];
  const signal = (name: string) => async (options: object) => {
    signaled.push([name, options]);
    if (rejects) throw new DOMException('The domain is not valid.', 'SecurityError');
  };
  const locks = locksOf(isHeld);
  const bytes = new Uint8Array(Buffer.from('abcd', 'base64url')).buffer;
  const assertion = {
    id: 'abcd',
    rawId: bytes,
    type: 'public-key',
    response: { clientDataJSON: bytes, authenticatorData: bytes, signature: bytes, userHandle: bytes },
    getClientExtensionResults: () => ({}),
  };
  const globals = {
    PublicKeyCredential: Object.assign(class {}, {
      signalUnknownCredential: signal('unknown'),
      signalAllAcceptedCredentials: signal('all'),
      signalCurrentUserDetails: signal('details'),
    }),
    navigator: { locks, credentials: { get: async () => assertion } },
    document: { querySelectorAll: () => [] },
  };
  for (const [name, value] of Object.entries(globals))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  const client = createClient({
    baseUrl: '',
    timeoutMs: 0,
    async fetch(url, { method }) {
      requested.push(`${method} ${url}`);
      const found = answers[`${method} ${url}`] ?? {
        status: 404,
        body: { error: 'invalid_request', message: 'x' },
      };
      if (found instanceof Error) throw found;
      const { status = 200, body = { ok: true } } = typeof found === 'function' ? found() : found;
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      return { status, ok: status < 400, text: async () => text };
    },
  });
  return { client, signaled, requested, locks };
}

const refused = { status: 403, body: { error: 'reauth_required', message: 'Sign in again.' } };
const signals = { 'GET /passkeys/signals': { body: list } };

const changes: [string, string, (client: ReturnType<typeof createClient>) => Promise<unknown>][] = [
  ['the removal of a passkey', 'DELETE /passkeys/aaaa', (client) => client.passkeys.remove('aaaa')],
  ['another name', 'PATCH /passkeys/aaaa', (client) => client.passkeys.update('aaaa', { name: 'x' })],
  ['another user name', 'PUT /username', (client) => client.username.update({ username: 'ada' })],
  [
    'another address',
    'POST /account/email/confirm',
    (client) => client.account.confirmEmail({ email: 'a@acme.test', code: '1' }),
  ],
];

it('the removal of a passkey that is not in the list says so of this passkey too, and never of one in it', async () => {
  const route = 'DELETE /passkeys/cccc';
  const gone = ['unknown', { rpId: 'acme.test', credentialId: 'cccc' }];
  const removed = async (answer: Answer) => {
    const { client, signaled } = setUp({ [route]: {}, 'GET /passkeys/signals': answer });
    await client.passkeys.remove('cccc');
    return signaled;
  };
  expect(await removed({ body: list })).toEqual([all, gone, details]);
  expect(await removed({ body: { ...list, credentialIds: null } })).toEqual([gone, details]);
  expect(await removed({ body: {} })).toEqual([]);
  expect(await removed({ body: { ...list, credentialIds: ['cccc'] } })).not.toContainEqual(gone);
});

describe.each(changes)('after %s, the client', (_name, route, change) => {
  it('signals the complete list and the name', async () => {
    const { client, signaled, requested, locks } = setUp({ [route]: {}, ...signals });
    await change(client);
    expect(requested).toEqual([route, 'GET /passkeys/signals']);
    expect(signaled).toEqual([all, details]);
    expect(locks.asked).toEqual([{ ifAvailable: true }]);
  });

  it('signals nothing if the change was refused or interrupted', async () => {
    for (const answer of [refused, new TypeError('network'), { body: '<html>' }]) {
      const { client, signaled, requested } = setUp({ [route]: answer, ...signals });
      await expect(change(client)).rejects.toBeInstanceOf(AuthClientError);
      expect([requested, signaled]).toEqual([[route], []]);
    }
  });

  it('signals nothing if the list was refused, interrupted or is not complete, and resolves', async () => {
    const answers = [
      refused,
      new TypeError('network'),
      { body: '<html>' },
      { body: {} },
      { body: { ...list, credentialIds: null, name: null } },
    ];
    for (const answer of answers) {
      const { client, signaled } = setUp({ [route]: {}, 'GET /passkeys/signals': answer });
      await change(client);
      // The removal itself was certain, whatever the list is.
      expect(signaled.filter(([name]) => name !== 'unknown')).toEqual([]);
    }
  });

  it('signals nothing while a passkey is being created', async () => {
    const { client, signaled, requested } = setUp({ [route]: {}, ...signals }, { isHeld: () => true });
    await change(client);
    expect([requested, signaled]).toEqual([[route], []]);
  });

  it('resolves if the browser refuses', async () => {
    const { client, signaled } = setUp({ [route]: {}, ...signals }, { rejects: true });
    await change(client);
    expect(signaled).toEqual([all]);
  });
});

describe('the client', () => {
  it('signals the end of all passkeys after the deletion of the account that the response names', async () => {
    const passkeys = { rpId: 'acme.test', userId: 'user' };
    const { client, signaled, requested } = setUp({ 'DELETE /account': { body: { ok: true, passkeys } } });
    await client.account.remove();
    expect(requested).toEqual(['DELETE /account']);
    expect(signaled).toEqual([['all', { ...passkeys, allAcceptedCredentialIds: [] }]]);
    for (const answer of [refused, new TypeError('network'), { status: 502, body: { ok: true, passkeys } }]) {
      const failed = setUp({ 'DELETE /account': answer });
      await expect(failed.client.account.remove()).rejects.toBeInstanceOf(AuthClientError);
      expect(failed.signaled).toEqual([]);
    }
    const without = setUp({ 'DELETE /account': {} });
    await without.client.account.remove();
    expect(without.signaled).toEqual([]);
  });

  it.each([
    [{ status: 401, body: { error: 'token_invalid', message: 'x', reason: 'passkey_unknown' } }, true],
    [{ status: 401, body: { error: 'token_invalid', message: 'x' } }, false],
    [{ status: 403, body: { error: 'user_blocked', message: 'x' } }, false],
    [{ status: 500, body: { error: 'internal', message: 'x' } }, false],
    [new TypeError('network'), false],
  ])('signals an unknown passkey after a sign-in with the response %j: %j', async (answer, isSignaled) => {
    const options = { challenge: 'abcd', rpId: 'acme.test' };
    const { client, signaled } = setUp({
      'POST /passkeys/authenticate/start': { body: { options } },
      'POST /passkeys/authenticate/finish': answer,
    });
    await expect(client.passkeys.authenticate()).rejects.toBeInstanceOf(AuthClientError);
    expect(signaled).toEqual(isSignaled ? [['unknown', { rpId: 'acme.test', credentialId: 'abcd' }]] : []);
  });

  it('sync resolves to whether it has signaled, and asks for nothing in a browser without signals', async () => {
    expect(await setUp(signals).client.passkeys.sync()).toBe(true);
    expect(await setUp({}).client.passkeys.sync()).toBe(false);
    expect(await setUp(signals, { isHeld: () => true }).client.passkeys.sync()).toBe(false);
    const { client, requested } = setUp(signals);
    Object.defineProperty(globalThis, 'PublicKeyCredential', { value: class {}, configurable: true });
    expect([await client.passkeys.sync(), requested]).toEqual([false, []]);
  });

  it('signals nothing for a list that comes too late', async () => {
    let answer: (() => void) | undefined;
    const { signaled } = setUp({});
    const client = createClient({
      baseUrl: '',
      timeoutMs: 0,
      fetch: () =>
        new Promise((resolve) => {
          answer = () => resolve({ status: 200, ok: true, text: async () => JSON.stringify(list) });
        }),
    });
    jest.useFakeTimers();
    try {
      const synced = client.passkeys.sync();
      await jest.advanceTimersByTimeAsync(5000);
      expect(await synced).toBe(false);
      answer?.();
      await jest.advanceTimersByTimeAsync(0);
      expect(signaled).toEqual([]);
    } finally {
      jest.useRealTimers();
    }
  });
});
