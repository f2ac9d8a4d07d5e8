/** Spanish of Latin America: the pages of the account. */
import type { Differences } from '../../../core/support/regional.js';
import type { Texts } from '../texts.js';

const plural = new Intl.PluralRules('es-419');

export const account: Differences<Texts['account']> = {
  add: 'Agregar',
  added: (time) => ['Se agregó el ', time],
  expires: (time) => ['vence el ', time],
  notFoundLead: 'Es posible que el elemento se haya eliminado mientras tanto.',
  done: {
    usernameRemoved: 'Se quitó el nombre de usuario.',
    appAdded: 'Aplicación de autenticación agregada.',
    appRemoved: 'Se quitó la aplicación de autenticación.',
    passkeyAdded: 'Llave de acceso agregada.',
    passkeyRemoved: 'Se quitó la llave de acceso. Elimínala también de tu dispositivo.',
    phoneAdded: 'Número de teléfono agregado.',
    phoneRemoved: 'Se quitó el número de teléfono.',
    orgLeft: 'Saliste de la organización.',
    memberRemoved: 'Se quitó al miembro.',
  },
  confirm: {
    lead: (name) => [
      'Iniciaste sesión como ',
      name,
      '. Por tu seguridad, vuelve a iniciar sesión para continuar.',
    ],
    codeSent: (to) => ['Enviamos un código a ', to, '.'],
  },
  profile: {
    noName: 'Agrega tu nombre para que los demás te reconozcan.',
    enterCodes: 'Ingresa los códigos',
    enterCode: 'Ingresa el código',
    codesSent: (email) => ['Enviamos un código a ', email, '. Puede tardar un minuto en llegar.'],
    codesSentToBoth: (newEmail, email) => ['Enviamos un código a ', newEmail, ' y otro a ', email, '.'],
  },
  password: {
    isMissing: 'No definiste una contraseña.',
    needsEmail: 'Agrega una dirección de correo electrónico para definir una contraseña.',
  },
  authenticator: {
    addApp: 'Agregar aplicación',
    orKey: '¿No puedes escanearlo? Ingresa esta clave en la aplicación:',
    enterCode: 'Ingresa el código de la aplicación',
  },
  recovery: {
    replace: 'Reemplazar',
    replaceTitle: 'Reemplazar códigos de recuperación',
    shownOnce:
      'La verificación en dos pasos está activada. Los códigos de recuperación solo se muestran una vez. Si no los guardaste, crea códigos nuevos.',
    saved: 'Ya guardé mis códigos',
  },
  passkeys: {
    lead: 'Inicia sesión con tu huella digital, tu rostro o el bloqueo de pantalla.',
    add: 'Agregar llave de acceso',
    addTitle: 'Agrega una llave de acceso',
    addLead:
      'Tu navegador te pedirá que confirmes con tu huella digital, tu rostro o el bloqueo de pantalla.',
    failed: 'No se creó la llave de acceso. Inténtalo de nuevo.',
  },
  connected: {
    canceled: (provider) => `Se canceló la vinculación con ${provider}.`,
    failed: (provider) => `No se pudo vincular ${provider}. Inténtalo de nuevo.`,
  },
  phones: { add: 'Agregar número de teléfono' },
  devices: {
    limit: (n) =>
      plural.select(n) === 'one'
        ? 'Puedes tener la sesión abierta en un solo dispositivo. Si inicias sesión en otro, se cerrará en el anterior.'
        : `Puedes tener la sesión abierta en hasta ${n} dispositivos. Si inicias sesión en otro, se cerrará en el más antiguo.`,
  },
  activity: {
    lead: '¿No fuiste tú? Cierra la sesión de los dispositivos que no reconozcas y cambia tu contraseña.',
    none: 'Todavía no se registró nada.',
    signedIn: 'Iniciaste sesión',
    signedInWith: {
      password: 'Iniciaste sesión con una contraseña',
      passkey: 'Iniciaste sesión con una llave de acceso',
      emailCode: 'Iniciaste sesión con un código por correo',
      emailLink: 'Iniciaste sesión con un enlace por correo',
      phoneCode: 'Iniciaste sesión con un código por SMS',
      provider: (provider) => `Iniciaste sesión con ${provider}`,
    },
    actions: {
      signInFailed: 'Falló un inicio de sesión',
      impersonated: 'Un administrador inició sesión en tu nombre',
      signedOut: 'Se cerró la sesión de un dispositivo',
      signedOutEverywhere: 'Se cerró la sesión de todos los dispositivos',
      appSignedIn: 'Una aplicación inició sesión',
      copied: 'Se detuvo un inicio de sesión copiado',
      secured: 'Avisaste que no eras tú',
      authenticatorAdded: 'Aplicación de autenticación agregada',
      passkeyAdded: 'Llave de acceso agregada',
      organizationJoined: 'Te uniste a una organización',
      organizationLeft: 'Saliste de una organización',
    },
  },
  data: {
    deleted: 'Cuenta eliminada',
    deletedLead: 'Se eliminaron tus datos y se cerró tu sesión en todas partes.',
  },
  tokens: {
    expiry: 'Vencimiento',
    noExpiry: 'Sin vencimiento',
    expired: 'Vencida',
    appsLead: 'Aplicaciones que iniciaron sesión en tu cuenta.',
    noApps: 'Ninguna aplicación inició sesión.',
  },
  organizations: {
    manage: 'Administrar',
    roleHints: {
      admin:
        'También puede editar la organización, invitar y quitar miembros, y administrar las claves de API.',
    },
    expires: (time) => ['Vence el ', time],
  },
  errors: {
    passwordMissing: 'Ingresa una contraseña nueva.',
    currentMissing: 'Ingresa tu contraseña actual.',
    emailMissing: 'Ingresa la dirección nueva.',
    lastMethod: 'Es tu única forma de iniciar sesión. Primero agrega otra.',
    changed: 'Algo cambió mientras tanto. Revisa el estado actual e inténtalo de nuevo.',
    nameInvalid: 'Ingresa un nombre de 100 caracteres como máximo.',
    setUpAgain: 'Esta configuración venció. Empieza de nuevo.',
    usernameMissing: 'Ingresa un nombre de usuario.',
    textFailed: 'No se pudo enviar el SMS. Inténtalo de nuevo en un momento.',
  },
};
