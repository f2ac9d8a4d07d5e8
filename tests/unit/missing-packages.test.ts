// A package that is missing, as in a bundle that left it out: the error names it, and does not pass for a wrong code or answer.
import { parsePhoneNumber } from '../../src/domain/phone-number.js';
import { totpStepOf } from '../../src/crypto/totp-code.js';
import { packages } from '../../src/runtime/packages.cjs';
import { errorOf } from '../support/outcomes.js';

function withoutPackage(name: keyof typeof packages): void {
  (packages as Record<string, () => unknown>)[name] = () => {
    throw new Error(`Cannot find module '${name}'`);
  };
}

describe('A package that cannot be loaded', () => {
  it.each([
    ['otpauth', () => totpStepOf('A'.repeat(32), '123456', 0)],
    ['libphonenumber-js', () => parsePhoneNumber('+14155552671')],
  ] as const)('is an internal_error that names it: %s', async (name, call) => {
    withoutPackage(name);
    const error = await errorOf(async () => call());
    expect(error).toMatchObject({ code: 'internal_error', cause: expect.any(Error) as Error });
    expect(error.message).toContain(`"${name}"`);
  });
});
