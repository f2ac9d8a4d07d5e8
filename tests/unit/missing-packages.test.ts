// A missing package, as in a bundle without it: the error names it and is not mistaken for a wrong
// code or number.
import { parsePhoneNumber } from '../../src/domain/phone-number.js';
import { totpStepOf } from '../../src/crypto/totp-code.js';
import { packages } from '../../src/runtime/packages.cjs';
import { errorOf } from '../support/outcomes.js';

function withoutPackage(name: keyof typeof packages): void {
  (packages as Record<string, () => unknown>)[name] = () => {
    throw new Error(`Cannot find module '${name}'`);
  };
}

describe('missing packages', () => {
  it.each([
    ['otpauth', () => totpStepOf('A'.repeat(32), '123456', 0)],
    ['libphonenumber-js', () => parsePhoneNumber('+14155552671')],
  ] as const)(
    'a package that cannot be loaded causes an internal_error with its name: %s',
    async (name, call) => {
      withoutPackage(name);
      const error = await errorOf(async () => call());
      expect(error).toMatchObject({ code: 'internal_error', cause: expect.any(Error) as Error });
      expect(error.message).toContain(`"${name}"`);
    },
  );
});
