// The vendor's commands: `npx svc-auth license keygen` and `… license issue`.
import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { proProviders } from '../support/make-pro-service.js';
import { LeakScan } from '../support/leak-scan.js';
import { makeService } from '../support/make-service.js';
import { outcomeOf } from '../support/outcomes.js';

/** It prints no key: they go to files that their owner alone reads. */
const leaks = new LeakScan();
const repository = path.resolve(import.meta.dirname, '../..');
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'svc-auth-cli-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Ran {
  code: number | null;
  out: string;
  err: string;
}

function cli(...args: string[]): Promise<Ran> {
  const started = [
    '--import',
    path.join(repository, 'node_modules/tsx/dist/loader.mjs'),
    path.join(repository, 'src/cli.ts'),
    ...args,
  ];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, started, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    const ran: Ran = { code: null, out: '', err: '' };
    child.stdout.on('data', (chunk: Buffer) => (ran.out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (ran.err += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) => {
      leaks.look('what svc-auth wrote', ran);
      resolve({ ...ran, code });
    });
  });
}

const at = (file: string) => path.join(folder, file);
const read = (file: string) => readFileSync(at(file), 'utf8');
const issue = (...more: string[]) =>
  cli('license', 'issue', '--private-key', 'license-private.pem', '--holder', 'Acme', ...more);

describe('svc-auth', () => {
  it.each([[['--help']], [['-h']], [['help']], [['license', 'keygen', '--help']], [[]]])(
    '%j prints the help',
    async (args) => {
      const ran = await cli(...args);
      expect([ran.code, ran.err]).toEqual([0, '']);
      for (const word of [
        'license keygen',
        'license issue',
        '--private-key',
        '--holder',
        '--expires',
        '--days',
        '--out',
      ]) {
        expect(ran.out).toContain(word);
      }
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  it.each([
    [['license']],
    [['license', 'revoke']],
    [['keygen']],
    [['license', 'keygen', 'extra']],
    [['license', 'keygen', '--bits', '2048']],
    [['license', 'keygen', '--out']],
  ])('%j exits 1, says why and how, and writes nothing', async (args) => {
    const ran = await cli(...args);
    expect([ran.code, ran.out]).toEqual([1, '']);
    expect(ran.err).toMatch(/^svc-auth: \S/);
    expect(ran.err).toMatch(/^svc-auth: \S[^\n]*\nRun svc-auth --help\.\n$/);
    expect(ran.err).not.toMatch(/positional|argument|'/);
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

describe('svc-auth license dev', () => {
  it('prints a license that unlocks a service for 30 days, and writes no file', async () => {
    const ran = await cli('license', 'dev');
    expect([ran.code, ran.err, readdirSync(folder)]).toEqual([0, '', []]);
    expect(ran.out).toMatch(/^# For local development only, until \d{4}-\d\d-\d\d\. /);
    expect(ran.out).not.toContain('PRIVATE');
    // As a .env file, in which \n in double quotes is a line break.
    const { LICENSE_KEY: licenseKey, LICENSE_PUBLIC_KEY: licensePublicKey } = parseEnv(ran.out);
    const { service, log } = await makeService({ licenseKey, licensePublicKey, providers: proProviders });
    expect(service.licensed).toBe(true);
    expect(log).toContainEqual(expect.objectContaining({ level: 'warn' }));
    const other = await makeService({ licenseKey, providers: proProviders });
    expect(other.service.licensed).toBe(false);
  });
});

describe('svc-auth license keygen', () => {
  it('writes an Ed25519 pair, the private half for its owner only', async () => {
    const ran = await cli('license', 'keygen');
    expect([ran.code, ran.err]).toEqual([0, '']);
    expect(readdirSync(folder).sort()).toEqual(['license-private.pem', 'license-public.pem']);
    expect(read('license-private.pem')).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
    expect(read('license-public.pem')).toMatch(/^-----BEGIN PUBLIC KEY-----\n/);
    if (process.platform !== 'win32') expect(statSync(at('license-private.pem')).mode & 0o777).toBe(0o600);
    expect(ran.out).not.toContain('BEGIN');
  });

  it('writes into the folder of --out, which it creates if it is missing', async () => {
    const target = mkdtempSync(path.join(folder, 'keys-'));
    for (const out of [target, at('missing/folder')]) {
      expect((await cli('license', 'keygen', '--out', out)).code).toBe(0);
      expect(readdirSync(out)).toHaveLength(2);
    }
  });

  it('says in one line why a folder cannot be used', async () => {
    writeFileSync(at('file'), '');
    const ran = await cli('license', 'keygen', '--out', at('file'));
    expect([ran.code, ran.out]).toEqual([1, '']);
    expect(ran.err.split('\n')).toHaveLength(3);
  });

  it.each([['license-private.pem'], ['license-public.pem']])(
    'overwrites no %s, and writes neither then',
    async (file) => {
      writeFileSync(at(file), 'precious');
      const ran = await cli('license', 'keygen');
      expect([ran.code, ran.out]).toEqual([1, '']);
      expect(ran.err).toContain(file);
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

  it('prints a licence that unlocks a service, for a year', async () => {
    const before = Date.now();
    const ran = await issue();
    expect([ran.code, ran.err]).toEqual([0, '']);
    expect(ran.out).toMatch(/^[\w-]+\.[\w-]{86}\n$/);
    const license = JSON.parse(Buffer.from(ran.out.split('.')[0]!, 'base64url').toString()) as Record<
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
    const { service } = await serviceWith(ran.out);
    expect(service.licensed).toBe(true);
    expect(await outcomeOf(() => service.refresh)).toBe('ok');
    // Under another public key it is nothing.
    const other = await makeService({ licenseKey: ran.out, providers: proProviders });
    expect(other.service.licensed).toBe(false);
  });

  it('lasts as long as it is told', async () => {
    const endOf = async (...args: string[]) => {
      const { out } = await issue(...args);
      return (JSON.parse(Buffer.from(out.split('.')[0]!, 'base64url').toString()) as { expiresAt: string })
        .expiresAt;
    };
    expect(await endOf('--expires', '2199-12-31')).toBe('2199-12-31T00:00:00.000Z');
    const inTen = Date.parse(await endOf('--days', '10')) - Date.now();
    expect(Math.abs(inTen - 10 * 86_400_000)).toBeLessThan(60_000);
  });

  it.each([
    ['without a holder', ['license', 'issue', '--private-key', 'license-private.pem']],
    ['with an empty holder', ['license', 'issue', '--private-key', 'license-private.pem', '--holder', '']],
    ['without a key', ['license', 'issue', '--holder', 'Acme']],
    ['with a key file that is missing', ['license', 'issue', '--private-key', 'no.pem', '--holder', 'Acme']],
    ['with a key file that is no key', ['license', 'issue', '--private-key', 'odd.pem', '--holder', 'Acme']],
    ['with a public key', ['license', 'issue', '--private-key', 'license-public.pem', '--holder', 'Acme']],
  ])('%s exits 1 and prints no licence', async (_name, args) => {
    const ran = await cli(...args);
    expect([ran.code, ran.out]).toEqual([1, '']);
    expect(ran.err).toMatch(/^svc-auth: \S[^\n]*\nRun svc-auth --help\.\n$/);
    expect(ran.err).not.toMatch(/PRIVATE KEY|ENOENT|:\d\d|DECODER|asn1/);
  });

  it.each([
    ['a day that was', ['--expires', '2001-01-01']],
    ['a day that never is', ['--expires', 'next year']],
    ['a day that is in no calendar', ['--expires', '2030-02-31']],
    ['a time of a day that is in no calendar', ['--expires', '2031-04-31T12:00:00Z']],
    ['a month that there is not', ['--expires', '2030-13-01']],
    ['a day without its year', ['--expires', '12-31']],
    ['no number of days', ['--days', 'ten']],
    ['0 days', ['--days', '0']],
    ['fewer than 0 days', ['--days=-1']],
    ['more days than there are', ['--days', '1e20']],
    ['a day and a number of days', ['--days', '10', '--expires', '2199-12-31']],
  ])('with %s exits 1 and prints no licence', async (_name, args) => {
    const ran = await issue(...args);
    expect([ran.code, ran.out]).toEqual([1, '']);
    expect(ran.err).toMatch(/^svc-auth: \S/);
  });

  it('with a holder whose name makes it longer than a service reads exits 1 and prints no licence', async () => {
    const ran = await cli(
      ...['license', 'issue', '--private-key', 'license-private.pem', '--holder', 'x'.repeat(7000)],
    );
    expect([ran.code, ran.out]).toEqual([1, '']);
    expect(ran.err).toContain('holder');
    expect(ran.err).not.toContain('xxx');
  });

  it('with an RSA key exits 1: nobody would accept its licences', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    writeFileSync(at('rsa.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const ran = await cli('license', 'issue', '--private-key', 'rsa.pem', '--holder', 'Acme');
    expect([ran.code, ran.out]).toEqual([1, '']);
    expect(ran.err).toContain('Ed25519');
  });
});
