// The place of a client address, by the application's function `locate`.
import { placesOf, type Locate } from '../../src/core/support/locations.js';
import { silentLogger } from '../../src/core/support/logger.js';

const ip = '203.0.113.9';

function places(locate?: Locate) {
  const errors: object[] = [];
  const find = placesOf(locate, { ...silentLogger, error: (fields) => void errors.push(fields) });
  return { errors, find };
}

describe('the place of a client address', () => {
  it('is what the application returns, as one line', async () => {
    const { find } = places((address) => Promise.resolve(`  Hamburg,\r\nGermany (${address}) `));
    expect(await find(ip)).toBe(`Hamburg, Germany (${ip})`);
    expect(await places(() => 'x'.repeat(500)).find(ip)).toHaveLength(100);
  });

  it('is null without the option, and for what is not an IP address', async () => {
    const asked: string[] = [];
    const { find } = places((address) => (asked.push(address), 'Hamburg'));
    for (const address of [null, undefined, '', 'localhost', '203.0.113.9, 10.0.0.1'])
      expect(await find(address)).toBeNull();
    expect(asked).toEqual([]);
    expect(await places().find(ip)).toBeNull();
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['nothing', undefined],
    ['blanks', ' \n '],
    ['an object', { city: 'Hamburg' }],
  ])('is null if the function returns %s', async (_name, result) => {
    const { errors, find } = places(() => result as string);
    expect(await find(ip)).toBeNull();
    expect(errors).toEqual([]);
  });

  it.each<[string, Locate]>([
    [
      'throws',
      () => {
        throw new Error('no database');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no database'))],
    ['never settles', () => new Promise<string>(() => {})],
  ])('is null, and the failure is logged, if the function %s', async (_name, locate) => {
    const { errors, find } = places(locate);
    expect(await find(ip)).toBeNull();
    expect(errors).toEqual([expect.objectContaining({ event: 'locate_failed' })]);
  });
});
