/** Spanish of Latin America: what differs from that of Spain. */
import { regional } from '../../../core/support/regional.js';
import { es } from '../es/es.js';
import type { Texts } from '../texts.js';
import { account } from './account.js';

const plural = new Intl.PluralRules('es-419');

export const es419: Texts = regional(es, {
  notices: {
    sessionEnded: 'Tu sesión terminó. Inicia sesión para continuar.',
    signedOut: 'Cerraste sesión.',
    signedInAgain: 'Volviste a iniciar sesión. Todavía no se guardó nada.',
    otherAccount: (name) => `Ahora tu sesión está iniciada como ${name}. No se cambió nada.`,
    otherAccountUnnamed: 'Ahora tu sesión está iniciada en otra cuenta. No se cambió nada.',
    linkExpired: 'Este enlace venció. Solicita uno nuevo.',
    reclaimed: {
      lead: 'Esta cuenta se creó sin confirmar tu correo, quizá por otra persona. Se eliminaron su contraseña y los demás métodos de inicio de sesión.',
    },
    support: 'Comunicarse con soporte',
    offline: 'No tienes conexión. Revísala e inténtalo de nuevo.',
    confirmLinkIgnore: 'Si no lo solicitaste, cierra esta página.',
  },
  signIn: {
    canceled: (provider) => `Se canceló el inicio de sesión con ${provider}.`,
    guest:
      'Si inicias sesión en una cuenta que ya existe, lo que hiciste en tu sesión de invitado no pasará a ella.',
  },
  checkEmail: {
    code: (email) => [
      'Enviamos un código a ',
      email,
      '. Puede tardar un minuto en llegar. Revisa también la carpeta de spam.',
    ],
    link: (email) => [
      'Enviamos un enlace a ',
      email,
      '. Ábrelo en este navegador para continuar. Revisa también la carpeta de spam.',
    ],
    linkAndCode: (email) => [
      'Enviamos un enlace y un código a ',
      email,
      '. Abre el enlace o ingresa el código aquí. Revisa también la carpeta de spam.',
    ],
    resend: 'Reenviar',
    resendIn: (seconds) => `Reenviar en ${seconds} s`,
  },
  checkPhone: {
    code: (phone) => ['Enviamos un código al ', phone, '. Puede tardar un minuto en llegar.'],
  },
  signUp: {
    guest: 'Crea una cuenta para conservar lo que hiciste en tu sesión de invitado.',
    passkeyLead:
      'Una llave de acceso reemplaza a la contraseña. Se desbloquea con tu huella digital, tu rostro o el PIN de tu dispositivo.',
    fields: {
      number: 'Ingresa un número.',
      min: (least) => `Ingresa ${least} o más.`,
      max: (most) => `Ingresa ${most} o menos.`,
    },
  },
  twoFactor: {
    app: 'Ingresa el código de tu aplicación de autenticación.',
    recovery: 'Ingresa uno de tus códigos de recuperación. Cada uno funciona una sola vez.',
    email: 'Enviamos un código a tu correo electrónico. Ingrésalo aquí.',
  },
  reset: {
    lead: 'Ingresa tu correo electrónico. Te enviaremos un enlace para elegir una contraseña nueva.',
    leadCode: 'Ingresa tu correo electrónico. Te enviaremos un código para elegir una contraseña nueva.',
    sent: (email) => [
      'Si ',
      email,
      ' tiene una cuenta, enviamos un enlace para elegir una contraseña nueva. Revisa también la carpeta de spam.',
    ],
    sentCode: (email) => [
      'Si ',
      email,
      ' tiene una cuenta, enviamos un código. Ingrésalo junto con una contraseña nueva. Revisa también la carpeta de spam.',
    ],
    done: 'Contraseña cambiada',
    doneLead: 'Se cerró tu sesión en todas partes. Inicia sesión con la contraseña nueva.',
  },
  verify: {
    lead: (email) => [
      'Enviamos un código a ',
      email,
      '. Ingrésalo para verificar tu dirección. Revisa también la carpeta de spam.',
    ],
  },
  join: {
    lead: (role, organization, inviter) => [
      ...(inviter ? [inviter, ' te invitó a unirte a '] : ['Recibiste una invitación para unirte a ']),
      organization,
      ` con el rol de ${{ owner: 'propietario', admin: 'administrador', member: 'miembro' }[role]}.`,
    ],
    joined: (organization) => `Te uniste a ${organization}`,
    ended: {
      used: { title: 'Esta invitación ya se aceptó' },
      expired: { title: 'Esta invitación venció' },
      withdrawn: {
        lead: 'Se retiró o se reemplazó por otra más reciente. Búscala en tu correo o pide una nueva.',
      },
    },
    notYours: (current) => ['Iniciaste sesión como ', current, '. Esta invitación es para otra dirección.'],
  },
  consent: {
    account: (email) => ['Iniciaste sesión como ', email, '.'],
    refused: { sends: (host) => ['La aplicación quiso enviarte a ', host, '.'] },
    ended: { lead: 'Vuelve a la aplicación que te trajo aquí y empieza de nuevo.' },
  },
  device: {
    lead: 'Ingresa el código que muestra tu dispositivo o aplicación.',
    unknown: 'Este código no es válido. Verifícalo o empieza de nuevo en tu dispositivo.',
    compare: (code) => ['Verifica que tu dispositivo muestre ', code, '.'],
    warning:
      'Continúa solo si lo empezaste tú, en un dispositivo que tienes delante. Nadie debería enviarte un código.',
  },
  challenge: {
    lead: 'Llegaron muchas solicitudes desde tu red. Confirma que no eres un robot.',
    needsScript:
      'Llegaron muchas solicitudes desde tu red. Tu navegador tiene que resolver una pequeña tarea antes de continuar y para eso necesita JavaScript. Activa JavaScript o inténtalo más tarde.',
  },
  account,
  errors: {
    email: 'Ingresa una dirección de correo electrónico; por ejemplo, ada@example.com.',
    emailMissing: 'Ingresa tu correo electrónico.',
    emailOrUsernameMissing: 'Ingresa tu correo electrónico o tu nombre de usuario.',
    passwordMissing: 'Ingresa tu contraseña.',
    codeMissing: 'Ingresa el código.',
    passwordCode:
      'Se ingresaron demasiadas contraseñas incorrectas para esta cuenta. Enviamos un código a su correo electrónico. Ingresa otra vez tu contraseña y el código.',
    passwordBreached: 'Esta contraseña apareció en una filtración de datos. Elige otra.',
    codeExpired: 'Este código venció. Solicita uno nuevo.',
    signUpExpired: 'El registro tardó demasiado. Inicia sesión de nuevo para continuar.',
    signInExpired: 'El inicio de sesión tardó demasiado. Inicia sesión de nuevo para continuar.',
    blocked: 'Esta cuenta está bloqueada. Comunícate con el equipo de soporte.',
    challenge: 'Llegaron demasiadas solicitudes desde tu red. Inténtalo más tarde.',
    challengeFailed: 'La comprobación no se completó. Inténtalo de nuevo.',
    passkey: 'No se pudo usar la llave de acceso. Inténtalo de nuevo o usa otro método.',
    smsFailed: 'No se pudo enviar el SMS. Inténtalo de nuevo en un momento.',
    sendFailed: 'No se pudo enviar el correo. Inténtalo de nuevo en un momento.',
    provider: 'El inicio de sesión no se completó. Inténtalo de nuevo.',
    formExpired: 'Esta página venció. Envía el formulario de nuevo.',
    tooMany: (inMinutes) =>
      plural.select(inMinutes) === 'one'
        ? 'Demasiados intentos. Inténtalo de nuevo en un minuto.'
        : `Demasiados intentos. Inténtalo de nuevo en ${inMinutes} minutos.`,
    failedTitle: 'Ocurrió un error',
    failed: 'No se pudo mostrar la página. Inténtalo de nuevo en un momento.',
  },
});
