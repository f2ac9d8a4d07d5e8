// The session cookie is read from a header that anyone can send.
import type { Request } from 'express';
import { readCookie } from '../../src/http/session-cookie.js';

const read = (header: string) => {
  return readCookie({ headers: { cookie: header } } as Request, 'svc_session');
};

describe('readCookie', () => {
  it('removes spaces and tabs around the name and the value', () => {
    expect(read('a=1; \tsvc_session \t= token\t ; b=2')).toBe('token');
  });

  it.each(['\u00a0', '\u2003', '\ufeff', '\n'])(
    'finds no cookie whose name begins with the blank %j',
    (blank) => {
      expect(read(`a=1;${blank}svc_session=token`)).toBeUndefined();
    },
  );

  it('takes linear time for a header full of blanks', () => {
    const blanks = ' '.repeat(15_500);
    const start = performance.now();
    for (let i = 0; i < 50; i += 1) {
      expect(read(`a${blanks}b=y; svc_session=x${blanks}y`)).toBe(`x${blanks}y`);
    }
    // Quadratic time would be more than 20 seconds.
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});
