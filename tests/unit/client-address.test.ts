// The address of a client as limits count it and logs show it (docs/decisions/limits.md).
import { canonicalClientAddress, clientNetwork } from '../../src/domain/client-address.js';
import { guessLimits, loginLimits } from '../../src/core/limits/rate-limits.js';

const forms: [string, string[]][] = [
  [
    '192.0.2.33',
    [
      '192.0.2.33',
      '192.0.2.33:5678',
      '[192.0.2.33]:5678',
      '::ffff:192.0.2.33',
      '::FFFF:192.0.2.33:5678',
      '[::ffff:192.0.2.33]:5678',
      '::ffff:c000:221',
      // NAT64: the well-known prefix, and the prefix for local use with 96, 64, 56 and 48 bits (RFC
      // 6052, 2.2).
      '64:ff9b::192.0.2.33',
      '[64:ff9b::c000:221]:443',
      '64:ff9b::192.0.2.33:5678',
      '64:ff9b:1:ab:0:0:192.0.2.33',
      '64:ff9b:1:abcd:c0:2:2100::',
      '64:ff9b:1:abc0:0:221::',
      '64:ff9b:1:c000:2:2100::',
    ],
  ],
  [
    '2001:db8:1:2::/64',
    [
      '2001:db8:1:2::1',
      '2001:DB8:1:2:ffff::9',
      '[2001:db8:1:2::1]',
      '[2001:db8:1:2::1]:443',
      '"[2001:db8:1:2::1]:443"',
      '2001:db8:1:2:3:4:5:6:54321',
      '2001:db8:1:2::1%eth0',
      '2001:db8:1:2::/64',
    ],
  ],
  ['fe80::/64', ['fe80::1%eth0', '[fe80::2%25en1]:443']],
  // Next to the prefixes, not inside them.
  ['64:ff9b:2::/64', ['64:ff9b:2::192.0.2.33']],
  ['64:ff9b::/64', ['64:ff9b::1:192.0.2.33']],
];

describe('client addresses', () => {
  it.each(forms)('clientNetwork() returns %s for every form of the address', (canonical, writtenForms) => {
    expect(writtenForms.map(clientNetwork)).toEqual(writtenForms.map(() => canonical));
  });

  it('clientNetwork() returns anything else unchanged, cut to 64 characters', () => {
    expect(clientNetwork('unix:')).toBe('unix:');
    expect(clientNetwork('x'.repeat(100_000))).toBe('x'.repeat(64));
  });

  it('canonicalClientAddress() does not widen an address to its network', () => {
    expect(canonicalClientAddress('[2001:DB8::1]:443')).toBe('2001:db8::1');
    expect(canonicalClientAddress('2001:db8::/64')).toBe('2001:db8::/64');
  });

  it('limits of programmatic callers treat all forms of an address as one', () => {
    const subjects = (ip: string) =>
      [...guessLimits('email_code', 'a@x.co', ip), ...loginLimits(limits, 'a@x.co', ip)].map(
        ({ subject }) => subject,
      );
    expect(subjects('192.0.2.33:5678')).toEqual(subjects('::ffff:192.0.2.33'));
  });
});

const rule = { max: 1, windowMs: 60_000 };
const limits = { perAddressAndIp: rule, perAddress: rule, perIp: rule };
