/** Limits that are off, or that allow too much. */
import type { Examined, Family, Found } from './finding.js';

export const limits: Family = {
  kinds: {
    code_short: {
      severity: 'warning',
      why: 'Codes with fewer than six digits are guessed within days by someone who tries on many accounts.',
    },
    login_unlimited: {
      severity: 'error',
      why: 'Anyone can try any number of passwords.',
    },
    sms_any_country: {
      severity: 'warning',
      why: 'Text messages cost money. Fraudsters request them to expensive numbers, and are paid for each.',
    },
  },
  checks: { 'the limits': checkLimits },
};

function checkLimits({ config: { code, providers, rateLimit } }: Examined): Found[] {
  const found: Found[] = [];
  if (code.length < 6)
    found.push({ id: 'code_short', title: `Codes have ${code.length} digits.`, fix: 'code: { length: 6 }' });
  if (providers.emailPassword && rateLimit.login === false)
    found.push({
      id: 'login_unlimited',
      title: 'The limits on failed passwords are off.',
      fix: 'rateLimit: {} // without login: false',
    });
  if (providers.phoneOtp && !providers.phoneOtp.allowCountry)
    found.push({
      id: 'sms_any_country',
      title: 'Text messages are sent to every country.',
      fix: "phoneOtp: { allowCountry: (country) => ['DE', 'AT'].includes(country) }",
    });
  return found;
}
