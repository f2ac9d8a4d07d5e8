// Random passwords are not on the list of common passwords.
import { createHash } from 'node:crypto';
import { packagedFilter } from '../../src/core/passwords/password-filter.js';

/** The same passwords in every run. */
const random = (index: number) =>
  createHash('sha256').update(`password ${index}`).digest('base64url').slice(0, 16);

it('the list of common passwords contains none of 50,000 random passwords', async () => {
  const filter = packagedFilter();
  const found = [];
  for (let index = 0; index < 50_000; index += 1)
    if (await filter.contains(random(index))) found.push(random(index));
  expect(found).toEqual([]);
});
