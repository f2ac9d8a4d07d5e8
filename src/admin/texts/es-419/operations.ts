/** Spanish of Latin America: what is done with many users at once, lockdowns, and a user's sign-ins. */
import type { Differences } from '../../../core/support/regional.js';
import type { AdminTexts } from '../texts.js';

export const operations: Differences<AdminTexts['operations']> = {
  inviteList: { outcomes: { notDone: 'No se hizo' } },
  lockdown: {
    lead: 'Termina de inmediato todas las sesiones y los tokens, en todos los procesos. Úsalo si sospechas que se robaron sesiones.',
    doneEveryone: 'Terminaron todas las sesiones de todos los usuarios.',
    doneUsers: (shown) => `Terminaron todas las sesiones. Usuarios: ${shown}.`,
    own: 'Tu propia sesión también terminó: vuelve a iniciar sesión.',
  },
  signIns: { none: 'No se registró ningún inicio de sesión.' },
};
