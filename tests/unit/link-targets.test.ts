// Where a mailed link may point (docs/security-requirements.md T4, A-34, A-35, C-38).
import { isSafeUrl, LinkTargets, withToken } from '../../src/kit/link-targets.js';
import { outcomeOf } from '../support/outcomes.js';

const targets = new LinkTargets([
  'https://app.test/verify',
  'https://other.test:8443',
  'http://localhost:3000/x',
]);

describe('A redirectTo', () => {
  it.each([
    ['https://app.test/', 'https://app.test/'],
    ['https://app.test', 'https://app.test/'],
    ['https://app.test:443/deep/page?a=b#c', 'https://app.test/deep/page?a=b#c'],
    ['HTTPS://APP.TEST/x', 'https://app.test/x'],
    ['https://other.test:8443/x', 'https://other.test:8443/x'],
    ['http://localhost:3000/y', 'http://localhost:3000/y'],
  ])('of an allowed origin is a target: %s', (input, href) => {
    expect(targets.check(input)).toBe(href);
  });

  it.each([
    'https://evil.test/',
    'https://app.test.evil.test/',
    'https://evil.test/https://app.test/',
    'https://evil.test/?x=https://app.test/',
    'https://evil.test#https://app.test/',
    'https://app.test@evil.test/',
    'https://app.test:x@evil.test/',
    'https://user@app.test/',
    'https://user:password@app.test/',
    'https://notapp.test/',
    'https://sub.app.test/',
    'https://app.test.',
    'https://app.test:8443/',
    'http://app.test/',
    'http://other.test:8443/',
    'https://localhost:3000/',
    'http://localhost:3001/',
    'http://127.0.0.1:3000/',
    '//app.test/',
    '//evil.test/',
    '/\\evil.test',
    '\\\\evil.test',
    '/relative',
    'app.test',
    '',
    ' ',
    'javascript:alert(1)',
    'data:text/html,x',
    'blob:https://app.test/x',
    'file:///etc/passwd',
    'ftp://app.test/',
    'https:app.test.evil.test',
    'https://evil.test\\@app.test/',
    'https://аpp.test/',
  ])('T4 A-35 of any other kind is invalid_request: %s', async (input) => {
    expect(await outcomeOf(() => targets.check(input))).toBe('invalid_request');
  });

  it.each([
    ['null', null],
    ['a number', 1],
    ['a list', ['https://app.test/']],
    ['a URL object', new URL('https://app.test/')],
    ['an object that prints as one', { toString: () => 'https://app.test/' }],
  ])('is invalid_request as %s', async (_name, input) => {
    expect(await outcomeOf(() => targets.check(input))).toBe('invalid_request');
  });

  it('is nowhere where nothing is allowed', async () => {
    expect(await outcomeOf(() => new LinkTargets([]).check('https://app.test/'))).toBe('invalid_request');
    // The origin of what has none must not match that of another.
    expect(await outcomeOf(() => new LinkTargets(['data:x']).check('javascript:x'))).toBe('invalid_request');
  });
});

describe('A safe URL', () => {
  it.each([
    'https://x.test/',
    'http://localhost/',
    'http://app.localhost:3000/',
    'http://127.0.0.1/',
    'http://127.8.9.1:80/',
    'http://[::1]:3000/',
  ])('is %s', (url) => {
    expect(isSafeUrl(new URL(url))).toBe(true);
  });

  it.each([
    'http://x.test/',
    'http://127.evil.test/',
    'http://127.0.0.1.evil.test/',
    'http://localhost.evil.test/',
    'http://notlocalhost/',
    'http://0.0.0.0/',
    'http://[::2]/',
    'http://128.0.0.1/',
    'https://user@x.test/',
    'ws://localhost/',
    'ftp://localhost/',
  ])('is not %s', (url) => {
    expect(isSafeUrl(new URL(url))).toBe(false);
  });
});

describe('A link', () => {
  it('A-35 has the token as its parameter, other parameters and the fragment kept', () => {
    expect(withToken('https://app.test/verify?next=%2Fhome#top', 'a.b-c_d')).toBe(
      'https://app.test/verify?next=%2Fhome&token=a.b-c_d#top',
    );
  });

  it('A-35 has one token, ours, whatever the target brings', () => {
    const url = new URL(withToken('https://app.test/verify?token=theirs&token=too', 'ours'));
    expect(url.searchParams.getAll('token')).toEqual(['ours']);
  });

  it('A-35 is no place for a token to break out of', () => {
    const url = new URL(withToken('https://app.test/verify', 'x&admin=1#y z'));
    expect([...url.searchParams]).toEqual([['token', 'x&admin=1#y z']]);
    expect(url.hash).toBe('');
  });
});
