// What a log may know of an error (docs/security-requirements.md A-93, C-41).
import { jest } from '@jest/globals';
import { isServiceError } from 'svc-auth';
import { consoleLogger, describeError } from '../../src/kit/logger.js';
import { oddThrows } from '../support/odd-throws.js';

const text = (error: unknown) => JSON.stringify(describeError(error));

describe('The default logger', () => {
  it('prints warnings and errors to the console, and nothing else', () => {
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

describe('An error in a log', () => {
  it('is its name, message, code and stack', () => {
    const error = Object.assign(new TypeError('it broke'), { code: 'ECONNREFUSED' });
    expect(describeError(error)).toEqual({
      name: 'TypeError',
      message: 'it broke',
      code: 'ECONNREFUSED',
      stack: expect.arrayContaining([expect.stringContaining('logger.test')]),
    });
  });

  it('A-93 masks addresses, wherever they stand', () => {
    const error = new Error('550 <ada@example.com>: "bob@example.com", no carol@example.com', {
      cause: new Error('Key (email)=(dave@example.com) already exists.'),
    });
    expect(text(error)).not.toMatch(/ada@|bob@|carol@|dave@/);
    expect(text(error)).toContain('a***@example.com');
  });

  it('A-93 masks addresses of several lines in the stack as well', () => {
    const error = new Error('first line\nada@example.com\nlast line');
    expect(text(error)).not.toContain('ada@');
  });

  it('A-93 drops every other property: rows, parameters, responses, messages', () => {
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

  it('A-93 escapes line breaks, so that nobody writes lines into a log', () => {
    const { message } = describeError(new Error('x\r\n{"level":"info","msg":"admin signed in"}'));
    expect(message).toBe('x\\n{"level":"info","msg":"admin signed in"}');
  });

  it('has its causes, masked, and not without end', () => {
    const loop = new Error('loop');
    loop.cause = loop;
    expect(text(loop).match(/"message":"loop"/g)!.length).toBeLessThan(10);
    const nested = new Error('outer', { cause: new Error('inner of ada@example.com') });
    expect(describeError(nested)).toMatchObject({ cause: { message: 'inner of a***@example.com' } });
  });

  it('is cut where it is long', () => {
    expect(text(new Error('x'.repeat(100_000))).length).toBeLessThan(20_000);
  });

  it.each([undefined, null, 'secret', 1, { secret: 'x' }])('says nothing of what is none: %p', (thrown) => {
    expect(describeError(thrown)).toEqual({ message: 'not an error' });
  });

  it.each(Object.entries(oddThrows))('is described without a failure, and as texts: %s', (_name, make) => {
    const described = describeError(make());
    expect(described['message']).toEqual(expect.any(String));
    expect(JSON.parse(JSON.stringify(described))).toEqual(described);
    expect(isServiceError(make())).toBe(false);
  });
});
