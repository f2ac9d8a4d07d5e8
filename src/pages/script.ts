/** The script of the pages. They work without it, except for passkeys. */
import { formScript } from './script/forms.js';

export const script = `'use strict';
(() => {
${formScript}
})();
`;
