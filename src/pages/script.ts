/**
 * The script of the pages. They work without it, except for passkeys. Each part has the function `enhance…`, which runs for the first
 * page and after each step.
 */
import { asset } from '../pages-kit/assets.js';
import { account } from './script/account.js';
import { challenge } from './script/challenge.js';
import { forms } from './script/forms.js';
import { mail } from './script/mail.js';
import { passkeys } from './script/passkeys.js';
import { steps } from './script/steps.js';
import { strength } from './script/strength.js';

const source = `'use strict';
(() => {
${[forms, mail, passkeys, challenge, account, strength, steps].join('\n')}
})();
`;

export const script = asset('pages', 'js', source);
