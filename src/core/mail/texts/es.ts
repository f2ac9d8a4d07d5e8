/** Spanish: the sentences of mails and text messages. */
import type { MailTexts } from './en.js';

export const es: MailTexts = {
  direction: 'ltr',
  betweenSentences: ' ',
  expires: (inTime) => `Caduca ${inTime}.`,
  bothExpire: (inTime) => `Ambos caducan ${inTime}.`,
  linkAndCodeExpire: (link, code) => `El enlace caduca ${link} y el código, ${code}.`,
  oneIsEnough: 'Solo necesitas uno de los dos.',
  ignore: 'Si no has solicitado esto, puedes ignorar este correo.',
  keepSecret: 'No compartas este código con nadie.',
  notYouContactSupport: 'Si no has sido tú, ponte en contacto con el equipo de soporte.',
  notYouIgnore: 'Si no has sido tú, puedes ignorar este correo.',
  buttonFails: 'Si el botón no funciona, abre este enlace:',
  help: '¿Necesitas ayuda?',
  because: {
    signIn: ({ app }) =>
      `Recibes este correo porque alguien ha pedido iniciar sesión en ${app} con esta dirección.`,
    address: ({ app }) => `Recibes este correo porque alguien ha introducido esta dirección en ${app}.`,
    account: ({ app }) => `Recibes este correo porque tienes una cuenta en ${app}.`,
    reset: ({ app }) =>
      `Recibes este correo porque alguien ha pedido una contraseña nueva para tu cuenta de ${app}.`,
    invite: ({ app }) => `Recibes este correo porque alguien te ha invitado a ${app}.`,
  },
  event: {
    time: 'Fecha:',
    device: 'Dispositivo:',
    place: 'Ubicación:',
    on: (client, system) => `${client} en ${system}`,
  },
  signInCode: {
    subject: ({ app, code }) => `${code} es tu código de inicio de sesión en ${app}`,
    lead: ({ app }) => `Escribe este código para iniciar sesión en ${app}:`,
  },
  verification: {
    subject: ({ app, code }) => `${code} es tu código de verificación de ${app}`,
    lead: ({ app }) => `Escribe este código en ${app} para verificar tu dirección de correo electrónico:`,
  },
  existingAccount: {
    subject: ({ app }) => `Ya tienes una cuenta de ${app}`,
    lead: ({ app }) =>
      `Alguien se ha registrado en ${app} con esta dirección de correo electrónico, que ya tiene una cuenta. Si has sido tú, escribe este código para iniciar sesión en ella. Tu contraseña no ha cambiado.`,
    ignore: 'Si no has sido tú, ignora este correo y no compartas este código con nadie.',
  },
  secondFactor: {
    subject: ({ app, code }) => `${code} es tu código de verificación en dos pasos de ${app}`,
    lead: ({ app }) => `Escribe este código para terminar de iniciar sesión en ${app}:`,
    ignore:
      'Si no has sido tú, no compartas este código con nadie. Otra persona ha superado el primer paso para iniciar sesión en tu cuenta. Cambia tu contraseña.',
  },
  recoveryCodesLow: {
    subject: ({ app }) => `Te quedan dos códigos de recuperación de ${app}`,
    lead: ({ app }) =>
      `Se ha usado un código de recuperación para iniciar sesión en tu cuenta de ${app}. Te quedan dos. Crea códigos nuevos en tu cuenta antes de que los necesites.`,
    ignore:
      'Si no has sido tú, cierra sesión en todos los dispositivos y crea códigos de recuperación nuevos.',
  },
  newAddress: {
    subject: ({ app, code }) => `${code} es el código para tu nueva dirección de correo en ${app}`,
    lead: ({ app }) =>
      `Escribe este código en ${app} para usar esta dirección de correo electrónico en tu cuenta:`,
  },
  leavingAddress: {
    subject: ({ app }) => `Confirma la nueva dirección de correo de tu cuenta de ${app}`,
    lead: ({ app }) =>
      `Escribe este código en ${app} para sustituir esta dirección de correo electrónico por la nueva en tu cuenta:`,
    ignore:
      'Si no has sido tú, no compartas este código con nadie. Otra persona ha iniciado sesión en tu cuenta. Cierra sesión en todos los dispositivos.',
  },
  addressInUse: {
    subject: ({ app }) => `Ya tienes una cuenta de ${app}`,
    lead: ({ app }) =>
      `Alguien ha intentado usar esta dirección de correo electrónico para otra cuenta de ${app}. La dirección ya tiene una cuenta, así que no se ha cambiado nada. Inicia sesión con esta dirección o elige una distinta para la otra cuenta.`,
  },
  addressChanged: {
    subject: ({ app }) => `Se ha cambiado la dirección de correo de tu cuenta de ${app}`,
    lead: ({ app }) =>
      `Se ha cambiado la dirección de correo electrónico de tu cuenta de ${app}. Ya no puedes iniciar sesión con esta dirección y se ha cerrado la sesión en tus otros dispositivos.`,
  },
  passwordChanged: {
    subject: ({ app }) => `Se ha cambiado la contraseña de tu cuenta de ${app}`,
    lead: ({ app }) =>
      `Se ha cambiado la contraseña de tu cuenta de ${app} y se ha cerrado la sesión en tus otros dispositivos.`,
  },
  phoneAdded: {
    subject: ({ app }) => `Se ha añadido un número de teléfono a tu cuenta de ${app}`,
    lead: ({ app, phone }) =>
      `Se ha añadido el número de teléfono ${phone} a tu cuenta de ${app}. Puedes iniciar sesión con él.`,
  },
  phoneRemoved: {
    subject: ({ app }) => `Se ha quitado un número de teléfono de tu cuenta de ${app}`,
    lead: ({ app, phone }) =>
      `Se ha quitado el número de teléfono ${phone} de tu cuenta de ${app}. Ya no puedes iniciar sesión con él.`,
  },
  changes: {
    endOfSentence: '.',
    passwordAdded: ({ app }) => `Se ha añadido una contraseña a tu cuenta de ${app}`,
    passwordReset: ({ app }) => `Se ha restablecido la contraseña de tu cuenta de ${app}`,
    passwordSet: ({ app }) => `Un administrador ha cambiado la contraseña de tu cuenta de ${app}`,
    passkeyAdded: ({ app }) => `Se ha añadido una llave de acceso a tu cuenta de ${app}`,
    passkeyRemoved: ({ app }) => `Se ha quitado una llave de acceso de tu cuenta de ${app}`,
    twoFactorEnabled: ({ app }) => `Se ha activado la verificación en dos pasos de tu cuenta de ${app}`,
    twoFactorDisabled: ({ app }) => `Se ha desactivado la verificación en dos pasos de tu cuenta de ${app}`,
    appAdded: ({ app }) => `Se ha añadido una aplicación de autenticación a tu cuenta de ${app}`,
    appRemoved: ({ app }) => `Se ha quitado una aplicación de autenticación de tu cuenta de ${app}`,
    recoveryCodesReplaced: ({ app }) =>
      `Se han creado códigos de recuperación nuevos para tu cuenta de ${app}`,
    emailCodesEnabled: ({ app }) =>
      `Se han activado los códigos por correo como segundo paso de tu cuenta de ${app}`,
    emailCodesDisabled: ({ app }) =>
      `Se han desactivado los códigos por correo como segundo paso de tu cuenta de ${app}`,
    identityLinked: ({ app, about }) => `Se ha vinculado ${about} a tu cuenta de ${app}`,
    identityUnlinked: ({ app, about }) => `Se ha quitado ${about} de tu cuenta de ${app}`,
    usernameChanged: ({ app }) => `Se ha cambiado el nombre de usuario de tu cuenta de ${app}`,
    addressChanged: ({ app }) => `Tu cuenta de ${app} usa ahora esta dirección de correo`,
    apiKeyCreated: ({ app }) => `Se ha creado una clave de API para tu cuenta de ${app}`,
    browserTrusted: ({ app }) => `Se ha añadido un navegador de confianza a tu cuenta de ${app}`,
    newSignIn: ({ app }) => `Nuevo inicio de sesión en tu cuenta de ${app}`,
    newSignInLead: ({ app }) => `Tu cuenta de ${app} se ha usado en un dispositivo nuevo.`,
  },
  notMe: {
    advice:
      'Si no has sido tú, cierra la sesión de todos los dispositivos con este enlace. Funciona una vez, durante siete días.',
    button: 'No he sido yo',
    title: ({ app }) => `Protege tu cuenta de ${app}`,
    lead: (email) => `Se cerrará la sesión de todos los dispositivos que han iniciado sesión como ${email}.`,
    submit: 'Cerrar sesión en todos los dispositivos',
    ignore: 'Si reconoces esta actividad, cierra esta página.',
    doneTitle: 'Se ha cerrado la sesión de todos los dispositivos',
    doneReset: (email) => `Hemos enviado un correo a ${email}. Ábrelo para elegir una contraseña nueva.`,
    doneSignIn: 'Inicia sesión de nuevo y quita de tu cuenta todo lo que no reconozcas.',
    doneAddressChanged:
      'Esta dirección de correo ya no pertenece a la cuenta. Ponte en contacto con el equipo de soporte para recuperarla.',
    endedTitle: 'Este enlace ya no funciona',
    ended: 'Ha caducado o ya se ha usado. Si necesitas ayuda, ponte en contacto con el equipo de soporte.',
  },
  magicLink: {
    subject: ({ app }) => `Inicia sesión en ${app}`,
    lead: ({ app }) => `Abre este enlace para iniciar sesión en ${app}. Solo funciona una vez.`,
    leadWithCode: ({ app }) => `Abre este enlace para iniciar sesión en ${app}:`,
    orCode: 'O escribe este código donde has pedido iniciar sesión:',
    button: 'Iniciar sesión',
  },
  linkConfirmation: {
    title: ({ app }) => `Inicia sesión en ${app}`,
    lead: (email) => `Vas a iniciar sesión como ${email}.`,
    submit: 'Iniciar sesión',
    ignore: 'Si no has solicitado esto, cierra esta página.',
  },
  passwordReset: {
    subject: ({ app }) => `Elige una contraseña nueva para ${app}`,
    lead: ({ app }) =>
      `Abre este enlace para elegir una contraseña nueva para ${app}. Solo funciona una vez.`,
    leadWithCode: ({ app }) => `Escribe este código en ${app} para elegir una contraseña nueva:`,
    leadWithBoth: ({ app }) =>
      `Abre este enlace para elegir una contraseña nueva para ${app}, o escribe en ${app} el código que aparece debajo. El enlace y el código solo funcionan una vez.`,
    button: 'Elegir contraseña nueva',
  },
  userInvite: {
    subject: ({ app }) => `Te han invitado a ${app}`,
    lead: ({ app }) =>
      `Te han invitado a ${app}. Abre este enlace para configurar tu cuenta. Solo funciona una vez.`,
    button: 'Aceptar invitación',
    ignore: 'Si no quieres una cuenta, puedes ignorar este correo.',
  },
  signUpRefused: {
    subject: ({ app }) => `No puedes registrarte en ${app} con esta dirección de correo`,
    lead: ({ app }) =>
      `Alguien ha intentado iniciar sesión en ${app} con esta dirección de correo electrónico. La dirección no tiene ninguna cuenta y no se puede crear una con ella. Si tienes una cuenta, inicia sesión con su dirección de correo.`,
  },
  orgInvite: {
    subject: ({ app }) => `Te han invitado a una organización en ${app}`,
    lead: ({ app }) => `Abre este enlace para unirte a una organización en ${app}. Solo funciona una vez.`,
    button: 'Aceptar invitación',
    ignore: 'Si no quieres unirte, puedes ignorar este correo.',
  },
  textMessage: {
    code: ({ app, code }) => `${code} es tu código de ${app}.`,
  },
};
