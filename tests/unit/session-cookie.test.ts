// The session cookie is read from a header that anyone can send.
import type { Request } from 'express';
import { readCookie } from '../../src/http/session-cookie.js';
import { growthOf } from '../support/outcomes.js';

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

  it('takes linear time for a header full of blanks', async () => {
    const readBlanks = (size: number) => {
      const blanks = ' '.repeat(size);
      expect(read(`a${blanks}b=y; svc_session=x${blanks}y`)).toBe(`x${blanks}y`);
    };
    expect(await growthOf(readBlanks, 10_000)).toBeLessThan(30);
  });
});
