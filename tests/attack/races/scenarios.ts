/** Every race there is. */
import { codes } from './scenarios/codes.js';
import { linksAndPasswords } from './scenarios/links-and-passwords.js';

export const scenarios = [...codes, ...linksAndPasswords];
