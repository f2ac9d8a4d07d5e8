// Time-based one-time passwords, checked with the vectors of RFC 6238 and RFC 4226 and with another
// implementation.
import { execFileSync, spawnSync } from 'node:child_process';
import { newTotpSecret, totpStepOf, totpUri } from '../../src/crypto/totp-code.js';

/** `12345678901234567890` of the RFCs' appendices, in base32. */
const rfcSecret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const step = 30_000;

// RFC 6238, appendix B, SHA-1: the last six of its eight digits.
const rfc6238 = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
] as const;

// RFC 4226, appendix D: the codes of counters 0 to 9.
const rfc4226 = '755224 287082 359152 969429 338314 254676 287922 162583 399871 520489'.split(' ');

//
describe('time-based one-time passwords', () => {
  it.each(rfc6238)('the code matches RFC 6238 at %i s', (seconds, code) => {
    expect(totpStepOf(rfcSecret, code, seconds * 1000)).toBe(Math.floor(seconds / 30));
  });

  it.each(rfc4226.map((code, counter) => [counter, code] as const))(
    'the code matches RFC 4226 in step %i',
    (counter, code) => {
      expect(totpStepOf(rfcSecret, code, counter * step)).toBe(counter);
    },
  );

  it('a code is valid in its step, the step before and the step after, to the millisecond', () => {
    const code = rfc4226[5]!;
    const at = (now: number) => totpStepOf(rfcSecret, code, now);
    expect(at(4 * step - 1)).toBeNull();
    expect(at(4 * step)).toBe(5);
    expect(at(5 * step)).toBe(5);
    expect(at(7 * step - 1)).toBe(5);
    expect(at(7 * step)).toBeNull();
  });

  it('the first step has no step before it', () => {
    for (const now of [0, 1, step - 1]) {
      expect(totpStepOf(rfcSecret, rfc4226[0]!, now)).toBe(0);
      expect(totpStepOf(rfcSecret, rfc4226[1]!, now)).toBe(1);
      expect(totpStepOf(rfcSecret, rfc4226[2]!, now)).toBeNull();
      expect(totpStepOf(rfcSecret, '000000', now)).toBeNull();
    }
  });

  it.each([
    ['five digits', '87082'],
    ['seven digits', '0287082'],
    ['nothing', ''],
    ['a sign', '+28708'],
    ['a fraction', '28708.'],
    ['an exponent', '2e7082'],
    ['Arabic digits', '٢٨٧٠٨٢'],
    ['full-width digits', '２８７０８２'],
    ['a line break', '287082\n'],
    ['NUL', '28708\0'],
    ['100 KB', '2'.repeat(100_000)],
  ])('a code must be six ASCII digits and not %s', (_what, code) => {
    expect(totpStepOf(rfcSecret, code, 59_000)).toBeNull();
  });

  it('newTotpSecret() returns 160 random bits in base32', () => {
    const secrets = Array.from({ length: 100 }, newTotpSecret);
    for (const secret of secrets) expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(new Set(secrets).size).toBe(100);
  });

  it('totpUri() contains every parameter and escapes all values, with no colon but that between the issuer and the label', () => {
    const url = new URL(totpUri(rfcSecret, 'Acme & Co: x?', 'ada+1/&issuer=Evil@example.com'));
    expect([url.protocol, url.host]).toEqual(['otpauth:', 'totp']);
    expect(decodeURIComponent(url.pathname)).toBe('/Acme & Co x?:ada+1/&issuer=Evil@example.com');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      secret: rfcSecret,
      issuer: 'Acme & Co x?',
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    });
    expect(url.searchParams.getAll('issuer')).toHaveLength(1);
  });

  // oathtool may be missing locally. In the merge gate, which can install it, a skipped test would
  // look like a passed one.
  const isRequired = process.env['CI_REQUIRES_OATHTOOL'] === '1';
  const isInstalled = spawnSync('oathtool', ['--version']).status === 0;
  (isInstalled || isRequired ? it : it.skip)(
    'the code matches oathtool (skipped if it is not installed)',
    () => {
      for (const now of [59_000, 1_111_111_109_000, Date.now()]) {
        const secret = newTotpSecret();
        const uri = new URL(totpUri(secret, 'Acme', 'ada@example.com'));
        const args = [
          '--totp',
          '--base32',
          `--now=@${Math.floor(now / 1000)}`,
          uri.searchParams.get('secret')!,
        ];
        const code = execFileSync('oathtool', args, { encoding: 'utf8' }).trim();
        expect(totpStepOf(secret, code, now)).toBe(Math.floor(now / step));
      }
    },
  );
});
