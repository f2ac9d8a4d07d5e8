// A missing package, as in a bundle without it: the error names it and is not mistaken for a wrong
// code or number.
import { runNode } from '../support/inner-process.js';

describe('missing packages', () => {
  it.each([
    ['otpauth', 'otpauth', `import('./src/crypto/totp-code.ts')`, `totpStepOf('A'.repeat(32), '123456', 0)`],
    [
      'libphonenumber-js',
      'libphonenumber-js/max',
      `import('./src/domain/phone-number.ts')`,
      `parsePhoneNumber('+14155552671')`,
    ],
  ])(
    'a package that cannot be loaded causes an internal_error with its name: %s',
    async (name, loaded, imported, call) => {
      const script = `${imported}.then((module) => module.${call}).catch(({ code, message, cause }) =>
        console.log(JSON.stringify({ code, message, isCaused: cause instanceof Error })))`;
      const { out, err } = await runNode(['--input-type=module', '--eval', script], { [loaded]: null });
      expect(err).toBe('');
      expect(JSON.parse(out)).toEqual({
        code: 'internal_error',
        message: expect.stringContaining(`"${name}"`) as string,
        isCaused: true,
      });
    },
  );
});
