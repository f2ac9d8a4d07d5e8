/** Spanish: what has happened in the meantime. */
import type { Texts } from '../texts.js';

export const notices: Texts['notices'] = {
  sessionEnded: 'Tu sesión ha terminado. Inicia sesión para continuar.',
  signedOut: 'Has cerrado sesión.',
  signedInAgain: 'Has vuelto a iniciar sesión. Todavía no se ha guardado nada.',
  otherAccount: (name) => `Ahora tienes la sesión iniciada como ${name}. No se ha cambiado nada.`,
  otherAccountUnnamed: 'Ahora tienes la sesión iniciada en otra cuenta. No se ha cambiado nada.',
  linkExpired: 'Este enlace ha caducado. Solicita uno nuevo.',
  reclaimed: {
    title: 'Correo electrónico confirmado',
    lead: 'Esta cuenta se creó sin confirmar tu correo, quizá por otra persona. Se han eliminado su contraseña y los demás métodos de inicio de sesión.',
  },
  invitedOnly: 'Solo puedes registrarte con una invitación',
  invitedOnlyLead: 'Para crear una cuenta, abre el enlace de tu invitación.',
  blocked: 'No puedes iniciar sesión',
  support: 'Contactar con soporte',
  home: (product) => `Volver a ${product}`,
  offline: 'No tienes conexión. Compruébala e inténtalo de nuevo.',
  unreachable: 'No se puede conectar con el servidor. Inténtalo de nuevo en un momento.',
  slow: 'Está tardando más de lo normal.',
  impersonating: (product, user) => [`Estás viendo ${product} como `, user, '.'],
  impersonatingUnnamed: (product) => `Estás viendo ${product} como otro usuario.`,
  stopImpersonating: 'Terminar',
  confirmLink: (email) => ['Vas a iniciar sesión como ', email, '.'],
  confirmLinkIgnore: 'Si no has solicitado esto, cierra esta página.',
  confirmLinkOther: 'Iniciar sesión de otra forma',
};
