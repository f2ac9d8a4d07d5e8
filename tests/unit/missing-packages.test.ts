// A missing package, as in a bundle without it: the error names it and is not mistaken for a wrong
// code or number.
import { jest } from '@jest/globals';
import { parsePhoneNumber } from '../../src/domain/phone-number.js';
import { totpStepOf } from '../../src/crypto/totp-code.js';
import { errorOf } from '../support/outcomes.js';

// A declaration, because calls of jest.mock are moved to the top of the file.
function missing(name: string) {
  return () => {
    throw new Error(`Cannot find module '${name}'`);
  };
}
jest.mock('otpauth', missing('otpauth'));
jest.mock('libphonenumber-js/max', missing('libphonenumber-js'));

describe('missing packages', () => {
  it.each([
    ['otpauth', () => totpStepOf('A'.repeat(32), '123456', 0)],
    ['libphonenumber-js', () => parsePhoneNumber('+14155552671')],
  ] as const)(
    'a package that cannot be loaded causes an internal_error with its name: %s',
    async (name, call) => {
      const error = await errorOf(async () => call());
      expect(error).toMatchObject({ code: 'internal_error', cause: expect.any(Error) as Error });
      expect(error.message).toContain(`"${name}"`);
    },
  );
});
