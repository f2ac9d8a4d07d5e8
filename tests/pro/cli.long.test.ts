// The vendor's commands: `npx svc-auth license keygen` and `… license issue`.
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { communityLicense } from 'svc-auth';
import { testClock } from 'svc-auth/testing';
import { runCommandLine } from '../support/command-line.js';
import { proProviders } from '../support/make-pro-service.js';
import { LeakScan } from '../support/leak-scan.js';
import { makeService } from '../support/make-service.js';
import { outcomeOf } from '../support/outcomes.js';

/** The command prints no key: it writes keys to files that only their owner can read. */
const leaks = new LeakScan();
const repository = path.resolve(import.meta.dirname, '../..');
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'svc-auth-cli-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const cli = (...args: string[]) => runCommandLine(args, { folder, leaks });

const at = (file: string) => path.join(folder, file);
const read = (file: string) => readFileSync(at(file), 'utf8');
const issue = (...more: string[]) =>
  cli('license', 'issue', '--private-key', 'license-private.pem', '--holder', 'Acme', ...more);

describe('svc-auth', () => {
  const commands = ['user list', 'passwords build', 'pages eject', 'svc-auth secret', 'license community'];
  const licenseOptions = ['--private-key', '--holder', '--expires', '--days', '--out'];

  it.each([
    [['--help'], commands],
    [['-h'], commands],
    [['help'], commands],
    [[], commands],
    [['license', '--help'], licenseOptions],
    [['license', 'help'], licenseOptions],
    [['license', 'keygen', '--help'], licenseOptions],
  ])('prints the help for %j', async (args, words) => {
    const output = await cli(...args);
    expect([output.code, output.err]).toEqual([0, '']);
    for (const word of words) expect(output.out).toContain(word);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    [['license']],
    [['license', 'revoke']],
    [['license', 'dev']],
    [['keygen']],
    [['--verbose']],
    [['passwords', 'make']],
    [['pages', 'write']],
    [['secret', 'extra']],
    [['user', 'remove']],
    [['license', 'keygen', 'extra']],
    [['license', 'keygen', '--bits', '2048']],
    [['license', 'keygen', '--out']],
  ])('exits 2 for %j with a reason and a hint, and writes nothing', async (args) => {
    const output = await cli(...args);
    expect([output.code, output.out]).toEqual([2, '']);
    expect(output.err).toMatch(/^svc-auth: \S[^\n]*\nRun svc-auth (\w+ )?--help\.\n$/);
    expect(output.err).not.toMatch(/positional|'/);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('svc-auth --version', () => {
  it.each(['--version', '-v'])('prints the version of the package: %s', async (option) => {
    const { version } = JSON.parse(readFileSync(path.join(repository, 'package.json'), 'utf8')) as {
      version: string;
    };
    expect(await cli(option)).toEqual({ code: 0, out: `${version}\n`, err: '' });
  });
});

describe('svc-auth license community', () => {
  it('prints the community license, and writes no file', async () => {
    expect(await cli('license', 'community')).toEqual({ code: 0, out: `${communityLicense}\n`, err: '' });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('svc-auth license keygen', () => {
  it('writes an Ed25519 key pair, with the private key readable by its owner only', async () => {
    const output = await cli('license', 'keygen');
    expect([output.code, output.err]).toEqual([0, '']);
    expect(readdirSync(folder).sort()).toEqual([
      'license-community.txt',
      'license-private.pem',
      'license-public.pem',
    ]);
    expect(read('license-private.pem')).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
    expect(read('license-public.pem')).toMatch(/^-----BEGIN PUBLIC KEY-----\n/);
    if (process.platform !== 'win32') expect(statSync(at('license-private.pem')).mode & 0o777).toBe(0o600);
    expect(output.out).not.toContain('BEGIN');
  });

  it('writes a community license under the new key, which does not expire', async () => {
    await cli('license', 'keygen');
    const test = await makeService({
      licenseKey: read('license-community.txt'),
      licensePublicKey: read('license-public.pem'),
      providers: proProviders,
      clock: testClock(Date.parse('2300-01-01')),
    });
    expect(test.service.licensed).toBe(true);
  });

  it('writes into the folder of --out, and creates it if it is missing', async () => {
    const target = mkdtempSync(path.join(folder, 'keys-'));
    for (const out of [target, at('missing/folder')]) {
      expect((await cli('license', 'keygen', '--out', out)).code).toBe(0);
      expect(readdirSync(out)).toHaveLength(3);
    }
  });

  it('reports in one line why a folder cannot be used', async () => {
    writeFileSync(at('file'), '');
    const output = await cli('license', 'keygen', '--out', at('file'));
    expect([output.code, output.out]).toEqual([1, '']);
    expect(output.err.split('\n')).toHaveLength(2);
  });

  it.each([['license-private.pem'], ['license-public.pem'], ['license-community.txt']])(
    'does not overwrite %s, and writes no file',
    async (file) => {
      writeFileSync(at(file), 'precious');
      const output = await cli('license', 'keygen');
      expect([output.code, output.out]).toEqual([1, '']);
      expect(output.err).toContain(file);
      expect(readdirSync(folder)).toEqual([file]);
      expect(read(file)).toBe('precious');
    },
  );
});

describe('svc-auth license issue', () => {
  beforeEach(async () => {
    writeFileSync(at('odd.pem'), '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n');
    await cli('license', 'keygen');
  });

  const serviceWith = (licenseKey: string) =>
    makeService({ licenseKey, licensePublicKey: read('license-public.pem'), providers: proProviders });

  it('prints a license that unlocks a service for a year', async () => {
    const before = Date.now();
    const output = await issue();
    expect([output.code, output.err]).toEqual([0, '']);
    expect(output.out).toMatch(/^[\w-]+\.[\w-]{86}\n$/);
    const license = JSON.parse(Buffer.from(output.out.split('.')[0]!, 'base64url').toString()) as Record<
      string,
      string
    >;
    expect(license).toEqual({
      product: 'svc-auth',
      tier: 'pro',
      holder: 'Acme',
      issuedAt: expect.any(String),
      expiresAt: expect.any(String),
    });
    const issuedAt = Date.parse(license['issuedAt']!);
    expect(issuedAt).toBeGreaterThanOrEqual(before);
    expect(Date.parse(license['expiresAt']!) - issuedAt).toBe(365 * 86_400_000);
    const { service } = await serviceWith(output.out);
    expect(service.licensed).toBe(true);
    expect(await outcomeOf(() => service.refresh)).toBe('ok');
    // The license is invalid for another public key.
    const other = await makeService({ licenseKey: output.out, providers: proProviders });
    expect(other.service.licensed).toBe(false);
  });

  it('issues a license for the given period', async () => {
    const endOf = async (...args: string[]) => {
      const { out } = await issue(...args);
      return (JSON.parse(Buffer.from(out.split('.')[0]!, 'base64url').toString()) as { expiresAt: string })
        .expiresAt;
    };
    expect(await endOf('--expires', '2199-12-31')).toBe('2199-12-31T00:00:00.000Z');
    const before = Date.now();
    const issuedAt = Date.parse(await endOf('--days', '10')) - 10 * 86_400_000;
    expect(issuedAt).toBeGreaterThanOrEqual(before);
    expect(issuedAt).toBeLessThanOrEqual(Date.now());
  });

  it.each([
    ['without a holder', 2, ['license', 'issue', '--private-key', 'license-private.pem']],
    ['with an empty holder', 2, ['license', 'issue', '--private-key', 'license-private.pem', '--holder', '']],
    ['without a key', 2, ['license', 'issue', '--holder', 'Acme']],
    [
      'with a key file that is missing',
      1,
      ['license', 'issue', '--private-key', 'no.pem', '--holder', 'Acme'],
    ],
    ['with a malformed key file', 1, ['license', 'issue', '--private-key', 'odd.pem', '--holder', 'Acme']],
    ['with a public key', 1, ['license', 'issue', '--private-key', 'license-public.pem', '--holder', 'Acme']],
  ] as const)('prints no license %s, and exits %i', async (_name, code, args) => {
    const output = await cli(...args);
    expect([output.code, output.out]).toEqual([code, '']);
    expect(output.err).toMatch(/^svc-auth: \S[^\n]*\n(Run svc-auth license --help\.\n)?$/);
    expect(output.err).not.toMatch(/PRIVATE KEY|ENOENT|:\d\d|DECODER|asn1/);
  });

  it.each([
    ['a day in the past', ['--expires', '2001-01-01']],
    ['a day that is not a date', ['--expires', 'next year']],
    ['a day outside the calendar', ['--expires', '2030-02-31']],
    ['a time on a day outside the calendar', ['--expires', '2031-04-31T12:00:00Z']],
    ['a month outside the calendar', ['--expires', '2030-13-01']],
    ['a day without its year', ['--expires', '12-31']],
    ['a number of days in words', ['--days', 'ten']],
    ['0 days', ['--days', '0']],
    ['a negative number of days', ['--days=-1']],
    ['too many days', ['--days', '1e20']],
    ['a day and a number of days', ['--days', '10', '--expires', '2199-12-31']],
  ])('exits 2 and prints no license with %s', async (_name, args) => {
    const output = await issue(...args);
    expect([output.code, output.out]).toEqual([2, '']);
    expect(output.err).toMatch(/^svc-auth: \S/);
  });

  it('exits 2 and prints no license with a holder that makes it too long for a service', async () => {
    const output = await cli(
      ...['license', 'issue', '--private-key', 'license-private.pem', '--holder', 'x'.repeat(7000)],
    );
    expect([output.code, output.out]).toEqual([2, '']);
    expect(output.err).toContain('holder');
    expect(output.err).not.toContain('xxx');
  });

  it('exits 1 for an RSA key, whose licenses no service accepts', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    writeFileSync(at('rsa.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const output = await cli('license', 'issue', '--private-key', 'rsa.pem', '--holder', 'Acme');
    expect([output.code, output.out]).toEqual([1, '']);
    expect(output.err).toContain('Ed25519');
  });
});
