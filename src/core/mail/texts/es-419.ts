/** Spanish of Latin America: the sentences of mails and text messages that differ from those of Spain. */
import { regional } from '../../support/regional.js';
import { es } from './es.js';

export const es419 = regional(es, {
  expires: (inTime) => `Vence ${inTime}.`,
  bothExpire: (inTime) => `Ambos vencen ${inTime}.`,
  linkAndCodeExpire: (link, code) => `El enlace vence ${link} y el código, ${code}.`,
  ignore: 'Si no lo solicitaste, puedes ignorar este correo.',
  notYouContactSupport: 'Si no fuiste tú, comunícate con el equipo de soporte.',
  notYouIgnore: 'Si no fuiste tú, puedes ignorar este correo.',
  because: {
    signIn: ({ app }) =>
      `Recibes este correo porque alguien pidió iniciar sesión en ${app} con esta dirección.`,
    address: ({ app }) => `Recibes este correo porque alguien ingresó esta dirección en ${app}.`,
    reset: ({ app }) =>
      `Recibes este correo porque alguien pidió una contraseña nueva para tu cuenta de ${app}.`,
    invite: ({ app }) => `Recibes este correo porque alguien te invitó a ${app}.`,
  },
  signInCode: { lead: ({ app }) => `Ingresa este código para iniciar sesión en ${app}:` },
  verification: {
    lead: ({ app }) => `Ingresa este código en ${app} para verificar tu dirección de correo electrónico:`,
  },
  existingAccount: {
    lead: ({ app }) =>
      `Alguien se registró en ${app} con esta dirección de correo electrónico, que ya tiene una cuenta. Si fuiste tú, ingresa este código para iniciar sesión en ella. Tu contraseña no cambió.`,
    ignore: 'Si no fuiste tú, ignora este correo y no compartas este código con nadie.',
  },
  secondFactor: {
    lead: ({ app }) => `Ingresa este código para terminar de iniciar sesión en ${app}:`,
    ignore:
      'Si no fuiste tú, no compartas este código con nadie. Es posible que alguien conozca tu contraseña: cámbiala.',
  },
  recoveryCodesLow: {
    lead: ({ app }) =>
      `Se usó un código de recuperación para iniciar sesión en tu cuenta de ${app}. Te quedan dos. Crea códigos nuevos en tu cuenta antes de que los necesites.`,
    ignore: 'Si no fuiste tú, cierra sesión en todos los dispositivos y crea códigos de recuperación nuevos.',
  },
  newAddress: {
    lead: ({ app }) =>
      `Ingresa este código en ${app} para usar esta dirección de correo electrónico en tu cuenta:`,
  },
  leavingAddress: {
    lead: ({ app }) =>
      `Ingresa este código en ${app} para reemplazar esta dirección de correo electrónico por la nueva en tu cuenta:`,
    ignore:
      'Si no fuiste tú, no compartas este código con nadie. Otra persona inició sesión en tu cuenta: cierra sesión en todos los dispositivos.',
  },
  addressInUse: {
    lead: ({ app }) =>
      `Alguien intentó usar esta dirección de correo electrónico para otra cuenta de ${app}. La dirección ya tiene una cuenta, así que no se cambió nada. Inicia sesión con esta dirección o elige una distinta para la otra cuenta.`,
  },
  addressChanged: {
    subject: ({ app }) => `Se cambió la dirección de correo de tu cuenta de ${app}`,
    lead: ({ app }) =>
      `Se cambió la dirección de correo electrónico de tu cuenta de ${app}. Ya no puedes iniciar sesión con esta dirección, y se cerró la sesión en tus otros dispositivos.`,
  },
  passwordChanged: {
    subject: ({ app }) => `Se cambió la contraseña de tu cuenta de ${app}`,
    lead: ({ app }) =>
      `Se cambió la contraseña de tu cuenta de ${app}, y se cerró la sesión en tus otros dispositivos.`,
  },
  phoneAdded: {
    subject: ({ app }) => `Se agregó un número de teléfono a tu cuenta de ${app}`,
    lead: ({ app, phone }) =>
      `Se agregó el número de teléfono ${phone} a tu cuenta de ${app}. Puedes iniciar sesión con él.`,
  },
  phoneRemoved: {
    subject: ({ app }) => `Se quitó un número de teléfono de tu cuenta de ${app}`,
    lead: ({ app, phone }) =>
      `Se quitó el número de teléfono ${phone} de tu cuenta de ${app}. Ya no puedes iniciar sesión con él.`,
  },
  changes: {
    passwordAdded: ({ app }) => `Se agregó una contraseña a tu cuenta de ${app}`,
    passwordReset: ({ app }) => `Se restableció la contraseña de tu cuenta de ${app}`,
    passwordSet: ({ app }) => `Un administrador cambió la contraseña de tu cuenta de ${app}`,
    passkeyAdded: ({ app }) => `Se agregó una llave de acceso a tu cuenta de ${app}`,
    passkeyRemoved: ({ app }) => `Se quitó una llave de acceso de tu cuenta de ${app}`,
    twoFactorEnabled: ({ app }) => `Se activó la verificación en dos pasos de tu cuenta de ${app}`,
    twoFactorDisabled: ({ app }) => `Se desactivó la verificación en dos pasos de tu cuenta de ${app}`,
    appAdded: ({ app }) => `Se agregó una aplicación de autenticación a tu cuenta de ${app}`,
    appRemoved: ({ app }) => `Se quitó una aplicación de autenticación de tu cuenta de ${app}`,
    recoveryCodesReplaced: ({ app }) => `Se crearon códigos de recuperación nuevos para tu cuenta de ${app}`,
    emailCodesEnabled: ({ app }) =>
      `Se activaron los códigos por correo como segundo paso de tu cuenta de ${app}`,
    emailCodesDisabled: ({ app }) =>
      `Se desactivaron los códigos por correo como segundo paso de tu cuenta de ${app}`,
    identityLinked: ({ app, about }) => `Se vinculó ${about} a tu cuenta de ${app}`,
    identityUnlinked: ({ app, about }) => `Se quitó ${about} de tu cuenta de ${app}`,
    usernameChanged: ({ app }) => `Se cambió el nombre de usuario de tu cuenta de ${app}`,
    apiKeyCreated: ({ app }) => `Se creó una clave de API para tu cuenta de ${app}`,
    browserTrusted: ({ app }) => `Se agregó un navegador de confianza a tu cuenta de ${app}`,
    newSignInLead: ({ app }) => `Tu cuenta de ${app} se usó en un dispositivo nuevo.`,
  },
  notMe: {
    advice:
      'Si no fuiste tú, cierra la sesión de todos los dispositivos con este enlace. Funciona una vez, durante siete días.',
    button: 'No fui yo',
    lead: (email) => `Se cerrará la sesión de todos los dispositivos que iniciaron sesión como ${email}.`,
    doneTitle: 'Se cerró la sesión de todos los dispositivos',
    doneReset: (email) => `Enviamos un correo a ${email}. Ábrelo para elegir una contraseña nueva.`,
    doneAddressChanged:
      'Esta dirección de correo ya no pertenece a la cuenta. Comunícate con el equipo de soporte para recuperarla.',
    ended: 'Venció o ya se usó. Si necesitas ayuda, comunícate con el equipo de soporte.',
  },
  magicLink: { orCode: 'O ingresa este código en la página de inicio de sesión:' },
  linkConfirmation: { ignore: 'Si no lo solicitaste, cierra esta página.' },
  passwordReset: {
    leadWithCode: ({ app }) => `Ingresa este código en ${app} para elegir una contraseña nueva:`,
    leadWithBoth: ({ app }) =>
      `Usa este enlace o el código que aparece abajo para elegir una contraseña nueva para ${app}.`,
  },
  userInvite: {
    subject: ({ app }) => `Te invitaron a ${app}`,
    lead: ({ app }) =>
      `Te invitaron a ${app}. Abre este enlace para configurar tu cuenta. Solo funciona una vez.`,
  },
  signUpRefused: {
    lead: ({ app }) =>
      `Alguien intentó iniciar sesión en ${app} con esta dirección de correo electrónico. La dirección no tiene ninguna cuenta y no se puede crear una con ella. Si tienes una cuenta, inicia sesión con su dirección de correo.`,
  },
  orgInvite: { subject: ({ app }) => `Te invitaron a una organización en ${app}` },
});
