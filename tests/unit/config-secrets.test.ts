// The session secret and the encryption key (docs/security-requirements.md ).
import { createService, Service } from 'svc-auth';
import { silentLogger } from '../../src/core/support/logger.js';
import {
  adapter,
  faultsOf,
  pathsOf,
  secret,
  validConfig,
  warningsOf,
  withSession,
} from '../support/config-faults.js';
import { errorOf } from '../support/outcomes.js';

describe('the session secret', () => {
  //
  it.each([undefined, null, '', '   ', '\n', 1, {}, Buffer.alloc(32)])(
    'the session secret %p is always refused',
    (invalidSecret) => {
      for (const isProduction of [true, false]) {
        expect(pathsOf({ adapter, session: { secret: invalidSecret } }, isProduction)).toEqual([
          'session.secret',
        ]);
      }
    },
  );

  //
  it.each([
    ['31 bytes', 'abcdefghijklmnopqrstuvwxyz12345'],
    ['32 bytes that repeat', 'a'.repeat(32)],
    ['one character', 'x'],
    ['seven different characters', 'abcdefg'.repeat(10)],
  ])('a session secret of %s throws in production and causes a warning elsewhere', (_name, weak) => {
    expect(pathsOf({ adapter, session: { secret: weak } }, true)).toEqual(['session.secret']);
    const { messages } = warningsOf({ session: { secret: weak } });
    expect(messages).toEqual([expect.stringContaining('session.secret')]);
    expect(messages.join()).not.toContain(weak.length > 1 ? weak : 'xx');
  });

  //
  it.each([
    ['32 bytes', 'abcdefghijklmnopqrstuvwxyz123456'],
    ['32 bytes in fewer characters', 'äöüßéèêàçñ€ø'.padEnd(16, 'ÄÖÜ')],
  ])('a session secret of %s is accepted everywhere without a warning', (_name, strong) => {
    expect(faultsOf({ adapter, session: { secret: strong } }, true)).toEqual([]);
    expect(warningsOf({ session: { secret: strong } }).options).toEqual([]);
  });

  //
  it('NODE_ENV decides whether a weak session secret is refused', async () => {
    const weak = { adapter, session: { secret: 'short' }, logger: silentLogger };
    const environment = process.env['NODE_ENV'];
    try {
      process.env['NODE_ENV'] = 'production';
      expect(await errorOf(() => createService(weak))).toMatchObject({ code: 'config_invalid' });
      process.env['NODE_ENV'] = 'development';
      expect(createService(weak)).toBeInstanceOf(Service);
      delete process.env['NODE_ENV'];
      expect(createService(weak)).toBeInstanceOf(Service);
    } finally {
      process.env['NODE_ENV'] = environment;
    }
  });

  //
  it('warnings go to the configured logger at construction', () => {
    const warnings: string[] = [];
    const logger = {
      ...silentLogger,
      warn: (_fields: object, message: string) => void warnings.push(message),
    };
    createService({ adapter, session: { secret: 'short' }, logger });
    expect(warnings).toHaveLength(1);
  });

  //
  it('warnings go to the console without a logger', () => {
    const warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
    try {
      createService({ adapter, session: { secret: 'short-secret-value' } });
      expect(warn.mock.calls).toEqual([
        [expect.stringMatching(/^svc-auth: session\.secret /), '{"option":"session.secret"}'],
      ]);
      expect(JSON.stringify(warn.mock.calls)).not.toContain('short-secret-value');
    } finally {
      warn.mockRestore();
    }
  });

  it('SMS without allowCountry causes a warning', () => {
    const phoneOtp = { sender: { send: async () => undefined } };
    const option = 'providers.phoneOtp.allowCountry';
    expect(warningsOf({ providers: { phoneOtp } }).options).toEqual([option]);
    const limited = { ...phoneOtp, allowCountry: (iso2: string) => iso2 === 'DE' };
    expect(warningsOf({ providers: { phoneOtp: limited } }).options).toEqual([]);
  });

  //
  it.each([[['']], [['   ']], [[secret, '']], [[1]], [[null]], ['a string']])(
    'the previous secrets %j are refused: an empty key would verify any token',
    (previousSecrets) => {
      expect(pathsOf(withSession({ previousSecrets }))[0]).toMatch(/^session\.previousSecrets/);
    },
  );
});

describe('the encryption key', () => {
  it('the encryption key has at least 32 bytes and differs from the session secret', () => {
    expect(faultsOf({ ...validConfig, encryptionKey: 'another key, of 32 bytes or more' })).toEqual([]);
    expect(pathsOf({ ...validConfig, encryptionKey: 'short' })).toEqual(['encryptionKey']);
    expect(pathsOf({ ...validConfig, encryptionKey: '' })).toEqual(['encryptionKey']);
    expect(pathsOf({ ...validConfig, encryptionKey: secret })).toEqual(['encryptionKey']);
  });

  it('neither an encryption key nor an earlier one may equal the session secret or an earlier one', () => {
    const [other, earlier] = ['another key, of 32 bytes or more', 'an earlier secret, of 32 bytes or more'];
    const session = { secret, previousSecrets: [earlier] };
    const named = (options: object) => pathsOf({ adapter, session, ...options });
    expect(named({ encryptionKey: other, previousEncryptionKeys: [`${other}, once`] })).toEqual([]);
    expect(named({ encryptionKey: earlier })).toEqual(['encryptionKey']);
    expect(named({ encryptionKey: other, previousEncryptionKeys: [`${other}, once`, secret] })).toEqual([
      'previousEncryptionKeys.1',
    ]);
    expect(named({ encryptionKey: secret, previousEncryptionKeys: [earlier] })).toEqual([
      'encryptionKey',
      'previousEncryptionKeys.0',
    ]);
  });

  it.each([
    ['one character', 'a'.repeat(32)],
    ['seven different characters', 'abcdefg'.repeat(10)],
  ])('an encryption key of %s throws in production and causes a warning elsewhere', (_name, weak) => {
    expect(pathsOf({ ...validConfig, encryptionKey: weak }, true)).toEqual(['encryptionKey']);
    expect(pathsOf({ ...validConfig, encryptionKey: weak })).toEqual([]);
    const { messages, options } = warningsOf({ encryptionKey: weak });
    expect(options).toEqual(['encryptionKey']);
    expect(messages.join()).not.toContain(weak);
  });
});
