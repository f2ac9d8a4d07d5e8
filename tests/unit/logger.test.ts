// What a log may contain of an error (docs/security-requirements.md A-93, C-41).
import { isServiceError } from 'svc-auth';
import { consoleLogger, describeError } from '../../src/core/support/logger.js';
import { malformedErrors } from '../support/malformed-errors.js';

const text = (error: unknown) => JSON.stringify(describeError(error));

describe('consoleLogger', () => {
  it('the default logger prints only warnings and errors to the console', () => {
    const printed: string[] = [];
    const spies = (['log', 'info', 'debug', 'warn', 'error'] as const).map((level) =>
      jest.spyOn(console, level).mockImplementation((...args: unknown[]) => {
        printed.push([level, ...args].join(' '));
      }),
    );
    for (const level of ['debug', 'info', 'warn', 'error'] as const) consoleLogger[level]({ a: 1 }, level);
    for (const spy of spies) spy.mockRestore();
    expect(printed).toEqual(['warn svc-auth: warn {"a":1}', 'error svc-auth: error {"a":1}']);
  });
});

describe('describeError()', () => {
  it('a logged error consists of its name, message, code and stack', () => {
    const error = Object.assign(new TypeError('it broke'), { code: 'ECONNREFUSED' });
    expect(describeError(error)).toEqual({
      name: 'TypeError',
      message: 'it broke',
      code: 'ECONNREFUSED',
      stack: expect.arrayContaining([expect.stringContaining('logger.test')]),
    });
  });

  //
  it('addresses in a logged error are masked', () => {
    const error = new Error('550 <ada@example.com>: "bob@example.com", no carol@example.com', {
      cause: new Error('Key (email)=(dave@example.com) already exists.'),
    });
    expect(text(error)).not.toMatch(/ada@|bob@|carol@|dave@/);
    expect(text(error)).toContain('a***@example.com');
  });

  //
  it('addresses in a stack of several lines are masked', () => {
    const error = new Error('first line\nada@example.com\nlast line');
    expect(text(error)).not.toContain('ada@');
  });

  //
  it('other properties of a logged error are dropped: rows, parameters, responses, messages', () => {
    const error = Object.assign(new Error('insert failed'), {
      detail: 'Failing row contains (secret-1)',
      parameters: ['secret-2'],
      response: 'secret-3',
      query: { text: 'secret-4' },
      config: { auth: { pass: 'secret-5' } },
      code: { toString: () => 'secret-6' },
    });
    expect(text(error)).not.toContain('secret');
  });

  //
  it('line breaks in a logged error are escaped, so that an attacker cannot forge log lines', () => {
    const { message } = describeError(new Error('x\r\n{"level":"info","msg":"admin signed in"}'));
    expect(message).toBe('x\\n{"level":"info","msg":"admin signed in"}');
  });

  it('the causes of a logged error are masked and limited in number', () => {
    const loop = new Error('loop');
    loop.cause = loop;
    expect(text(loop).match(/"message":"loop"/g)!.length).toBeLessThan(10);
    const nested = new Error('outer', { cause: new Error('inner of ada@example.com') });
    expect(describeError(nested)).toMatchObject({ cause: { message: 'inner of a***@example.com' } });
  });

  it('a long message of a logged error is cut', () => {
    expect(text(new Error('x'.repeat(100_000))).length).toBeLessThan(20_000);
  });

  it.each([undefined, null, 'secret', 1, { secret: 'x' }])(
    'a thrown value that is not an error is not logged: %p',
    (thrown) => {
      expect(describeError(thrown)).toEqual({ message: 'not an error' });
    },
  );

  it.each(Object.entries(malformedErrors))(
    'an unusual thrown value is described with strings and without an exception: %s',
    (_name, make) => {
      const description = describeError(make());
      expect(description['message']).toEqual(expect.any(String));
      expect(JSON.parse(JSON.stringify(description))).toEqual(description);
      expect(isServiceError(make())).toBe(false);
    },
  );
});
