// Filters of common and leaked passwords: `npx svc-auth passwords build` (docs/providers/email-password.md).
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runCommandLine } from '../support/command-line.js';
import { makeService } from '../support/make-service.js';
import { errorOf, outcomeOf } from '../support/outcomes.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'svc-auth-passwords-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (file: string) => path.join(folder, file);
const cli = (...args: string[]) => runCommandLine(['passwords', ...args], { folder });
const write = (lines: string[]) => writeFileSync(at('list.txt'), lines.join('\n'));
const sha1 = (text: string) => createHash('sha1').update(text).digest('hex').toUpperCase();

/** Expects a refusal that changes no file and quotes no line of the list. */
async function expectRefusal(output: ReturnType<typeof cli>, code: number, message: string): Promise<void> {
  const { code: exit, out, err } = await output;
  expect([exit, out]).toEqual([code, '']);
  expect(err).toContain(message);
  expect(readdirSync(folder).filter((file) => file !== 'list.txt')).toEqual([]);
}

async function signUpWith(file: string) {
  const { service } = await makeService({ providers: { emailPassword: { commonPasswords: { file } } } });
  let people = 0;
  const signUp = (password: string) =>
    service.emailPassword.signup({ email: `person-${(people += 1)}@example.com`, password });
  return {
    refusal: async (password: string) => (await errorOf(() => signUp(password))) as { reason?: string },
    outcome: (password: string) => outcomeOf(() => signUp(password)),
  };
}

describe('svc-auth passwords build', () => {
  it('builds a filter from a list of passwords, which a service refuses in any case', async () => {
    write(['our football club', 'the name of our street', '', 'our football club']);
    const output = await cli('build', 'list.txt', '--out', 'filter.bin');
    expect(output).toEqual({
      code: 0,
      err: '',
      out: expect.stringMatching(/^filter\.bin: 2 passwords, \d+ bytes\.\n$/),
    });
    const { refusal, outcome } = await signUpWith(at('filter.bin'));
    for (const password of ['our football club', 'The Name Of Our Street'])
      expect(await refusal(password)).toMatchObject({ code: 'weak_password', reason: 'common' });
    expect(await outcome('a password that is on no list')).toBe('ok');
  });

  it('builds a filter from SHA-1 digests in their order, without those that were leaked less often', async () => {
    const leaked = [
      ['often seen somewhere', 5000],
      ['seldom seen anywhere', 2],
    ] as const;
    write(leaked.map(([password, count]) => `${sha1(password)}:${count}`).sort());
    const output = await cli('build', 'list.txt', '--out', 'filter.bin', '--min-count', '10');
    expect([output.code, output.out]).toEqual([
      0,
      expect.stringMatching(/^filter\.bin: 1 digests, \d+ bytes\.\n$/),
    ]);
    const { refusal, outcome } = await signUpWith(at('filter.bin'));
    expect((await refusal('often seen somewhere')).reason).toBe('common');
    expect(await outcome('seldom seen anywhere')).toBe('ok');
  });

  it('replaces an existing filter only by a complete one', async () => {
    write(['our football club']);
    await cli('build', 'list.txt', '--out', 'filter.bin');
    write([sha1('b'), sha1('a')].sort().reverse());
    const failed = await cli('build', 'list.txt', '--out', 'filter.bin');
    expect(failed.code).toBe(1);
    expect(readdirSync(folder).sort()).toEqual(['filter.bin', 'list.txt']);
    const { refusal } = await signUpWith(at('filter.bin'));
    expect((await refusal('our football club')).reason).toBe('common');
  });

  it.each<[string, string[], string]>([
    ['without a command', [], 'Name a command.'],
    ['with an unknown command', ['make'], 'Unknown command "passwords make".'],
    ['without a list', ['build', '--out', 'filter.bin'], 'Name one file with a list.'],
    [
      'with two lists',
      ['build', 'list.txt', 'other.txt', '--out', 'filter.bin'],
      'Name one file with a list.',
    ],
    ['without --out', ['build', 'list.txt'], 'Name the filter to write: --out <file>.'],
    ...['0', '-1', '1.5', 'many', ''].map((count): [string, string[], string] => [
      `with --min-count=${count}`,
      ['build', 'list.txt', '--out', 'filter.bin', `--min-count=${count}`],
      '--min-count',
    ]),
  ])('is a wrong usage %s', async (_name, args, message) => {
    write(['a secret password']);
    await expectRefusal(cli(...args), 2, message);
  });

  it('fails for a missing, an empty and an invalid list, and quotes no line of it', async () => {
    await expectRefusal(cli('build', 'list.txt', '--out', 'filter.bin'), 1, 'list.txt');
    write(['', '']);
    await expectRefusal(cli('build', 'list.txt', '--out', 'filter.bin'), 1, 'The list is empty.');
    write([sha1('first'), 'a secret password']);
    const { err } = await cli('build', 'list.txt', '--out', 'filter.bin');
    expect(err).toMatch(/line 2/i);
    expect(err).not.toContain('secret');
    expect(existsSync(at('filter.bin'))).toBe(false);
  });

  it.each([[['--help']], [['help']], [['build', '--help']]])('prints the help for %j', async (args) => {
    const { code, out, err } = await cli(...args);
    expect([code, err]).toEqual([0, '']);
    for (const word of ['passwords build <list>', '--out', '--min-count']) expect(out).toContain(word);
  });
});
