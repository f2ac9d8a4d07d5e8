// Where a mailed link may lead (docs/security-requirements.md T4, A-34, A-35, C-38).
import { isSafeUrl, LinkTargets, withToken } from '../../src/core/support/link-targets.js';
import { outcomeOf } from '../support/outcomes.js';

const targets = new LinkTargets([
  'https://app.test/verify',
  'https://other.test:8443',
  'http://localhost:3000/x',
]);

describe('redirectTo', () => {
  it.each([
    ['https://app.test/', 'https://app.test/'],
    ['https://app.test', 'https://app.test/'],
    ['https://app.test:443/deep/page?a=b#c', 'https://app.test/deep/page?a=b#c'],
    ['HTTPS://APP.TEST/x', 'https://app.test/x'],
    ['https://other.test:8443/x', 'https://other.test:8443/x'],
    ['http://localhost:3000/y', 'http://localhost:3000/y'],
  ])('a redirectTo of an allowed origin is accepted: %s', (input, href) => {
    expect(targets.check(input)).toBe(href);
  });

  // T4, A-35
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
  ])('any other redirectTo throws invalid_request: %s', async (input) => {
    expect(await outcomeOf(() => targets.check(input))).toBe('invalid_request');
  });

  it('every redirectTo throws invalid_request if no origin is allowed', async () => {
    expect(await outcomeOf(() => new LinkTargets([]).check('https://app.test/'))).toBe('invalid_request');
    // The origin "null" of one scheme must not match that of another.
    expect(await outcomeOf(() => new LinkTargets(['data:x']).check('javascript:x'))).toBe('invalid_request');
  });
});

describe('isSafeUrl()', () => {
  it.each([
    'https://x.test/',
    'http://localhost/',
    'http://app.localhost:3000/',
    'http://127.0.0.1/',
    'http://127.8.9.1:80/',
    'http://[::1]:3000/',
  ])('isSafeUrl() accepts %s', (url) => {
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
  ])('isSafeUrl() rejects %s', (url) => {
    expect(isSafeUrl(new URL(url))).toBe(false);
  });
});

describe('withToken()', () => {
  //
  it('withToken() adds the token as a parameter and keeps other parameters and the fragment', () => {
    expect(withToken('https://app.test/verify?next=%2Fhome#top', 'a.b-c_d')).toBe(
      'https://app.test/verify?next=%2Fhome&token=a.b-c_d#top',
    );
  });

  //
  it('withToken() replaces any token of the target', () => {
    const url = new URL(withToken('https://app.test/verify?token=target&token=too', 'mailed'));
    expect(url.searchParams.getAll('token')).toEqual(['mailed']);
  });

  //
  it('withToken() encodes the token, so that it cannot add parameters', () => {
    const url = new URL(withToken('https://app.test/verify', 'x&admin=1#y z'));
    expect([...url.searchParams]).toEqual([['token', 'x&admin=1#y z']]);
    expect(url.hash).toBe('');
  });
});
