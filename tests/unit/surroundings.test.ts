// What a service meets besides the usual production: apps, extensions, functions that stop, and names made of nothing.
import { LinkTargets } from '../../src/core/support/link-targets.js';
import { parseName } from '../../src/domain/name.js';
import { deviceName } from '../../src/domain/device-name.js';
import { toSignedInDevice } from '../../src/domain/signed-in-device.js';
import { faultsOf, validConfig } from '../support/config-faults.js';
import { makeService } from '../support/make-service.js';

describe('trustedOrigins', () => {
  it.each([
    'https://acme.test',
    'http://localhost:5173',
    'capacitor://localhost',
    'ionic://localhost',
    'tauri://localhost',
    'app://acme',
    'chrome-extension://abcdefghijklmnopabcdefghijklmnop',
    'moz-extension://0a1b2c3d-0000-4000-8000-0a1b2c3d4e5f',
    'safari-web-extension://0A1B2C3D-0000-4000-8000-0A1B2C3D4E5F',
  ])('accepts %s, which then may post', (origin) => {
    expect(faultsOf({ ...validConfig, trustedOrigins: [origin] })).toEqual([]);
    const targets = new LinkTargets([origin]);
    expect(targets.allows(origin)).toBe(true);
    for (const other of ['null', `${origin}.evil.test`, origin.replace('://', '://x')])
      expect(targets.allows(other)).toBe(false);
  });

  it.each([
    'capacitor://',
    'capacitor://localhost/',
    'app://acme/path',
    'javascript://x',
    'file://',
    'null',
    'https://acme.test/',
    'https://*.acme.test',
    'chrome-extension://*',
  ])('refuses %s', (origin) => {
    expect(faultsOf({ ...validConfig, trustedOrigins: [origin] })).toEqual([
      expect.stringContaining('trustedOrigins.0: must be an origin such as'),
    ]);
  });

  it('does not let a mailed link lead to an app', () => {
    expect(() => new LinkTargets(['capacitor://localhost']).check('capacitor://localhost/x')).toThrow();
  });
});

describe('the option background', () => {
  it('receives the work after a response, which has ended when its promise resolves', async () => {
    const work: Promise<void>[] = [];
    const { service, mail } = await makeService({ background: (each) => work.push(each) });
    const email = 'ada@example.com';
    await service.emailPassword.signup({ email, password: 'a battery that is a horse' });
    mail.clear();
    await service.emailPassword.requestReset({ email });
    expect(mail.messages).toEqual([]);
    await Promise.all(work);
    expect(mail.messages).toHaveLength(1);
  });

  it('may throw: the mail is sent all the same, and the error is logged', async () => {
    const { service, mail, log } = await makeService({
      background: () => {
        throw new Error('no function is running');
      },
    });
    await service.emailPassword.requestReset({ email: 'ada@example.com' });
    await service.close();
    expect(mail.messages).toEqual([]);
    expect(log.some(({ level, message }) => level === 'error' && message.includes('background'))).toBe(true);
  });
});

describe('the option background, as an async function', () => {
  it('may reject: the mail is sent all the same, and the error is logged', async () => {
    const { service, log } = await makeService({
      background: async () => {
        throw new Error('no function is running');
      },
    });
    await service.emailPassword.requestReset({ email: 'ada@example.com' });
    await service.close();
    expect(log.some(({ level, message }) => level === 'error' && message.includes('background'))).toBe(true);
  });
});

describe('a name', () => {
  it.each([
    ['a control of direction', 'abc\u202ecba'],
    ['an isolate', '\u2067abc\u2069'],
    ['an Arabic letter mark', 'a\u061cb'],
    ['invisible characters alone', '\u200b\u2060'],
    ['a Braille blank', '\u2800'],
    ['Hangul fillers', '\u3164\u115f'],
    ['a musical symbol without an image', '\u{1d159}'],
    ['a line separator', 'a\u2028b'],
  ])('with %s is refused', (_name, name) => {
    expect(() => parseName(name)).toThrow();
  });

  it.each(['Acme', 'Acmé & Söhne', '\u0634\u0631\u0643\u0629', 'Family 👩\u200d👩\u200d👧'])(
    '%s is kept',
    (name) => {
      expect(parseName(name)).toBe(name);
    },
  );

  it('of a device is shown without controls of direction', () => {
    expect(deviceName({ name: 'Ada\u202e phone' })).toBe('Ada phone');
    expect(deviceName({ name: '\u202e', userAgent: 'curl/8' })).toBe('curl');
  });

  it.each(['\u200b', '\u3164', ' \u2060 '])('of a device that shows nothing is replaced: %j', (name) => {
    const device = { name, userAgent: 'curl/8' };
    expect(deviceName(device)).toBe('curl');
    const times = { createdAt: new Date(0), lastSeenAt: null, trust: null, expiresAt: new Date(1) };
    expect(toSignedInDevice('app', device, { id: '1', current: false, ...times })).toMatchObject({
      name: null,
      client: 'curl',
    });
  });
});
