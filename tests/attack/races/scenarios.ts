/** The list of all races. */
import { accounts } from './scenarios/accounts.js';
import { administrators } from './scenarios/administrators.js';
import { codes } from './scenarios/codes.js';
import { counters } from './scenarios/counters.js';
import { invites } from './scenarios/invites.js';
import { linksAndPasswords } from './scenarios/links-and-passwords.js';
import { orgs } from './scenarios/orgs.js';
import { passkeys } from './scenarios/passkeys.js';
import { phones } from './scenarios/phones.js';
import { routes } from './scenarios/routes.js';
import { secondFactor } from './scenarios/second-factor.js';
import { signUps } from './scenarios/sign-ups.js';
import { secondStep } from './scenarios/second-step.js';
import { tokens } from './scenarios/tokens.js';

export const scenarios = [
  ...codes,
  ...linksAndPasswords,
  ...secondFactor,
  ...secondStep,
  ...passkeys,
  ...phones,
  ...tokens,
  ...orgs,
  ...invites,
  ...accounts,
  ...administrators,
  ...routes,
  ...counters,
  ...signUps,
];
