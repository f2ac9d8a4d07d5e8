/** Spanish: the forms that change a user. */
import type { AdminTexts } from '../texts.js';

export const actions: AdminTexts['actions'] = {
  ownAccount: 'Esta es tu propia cuenta.',
  email: 'Correo electrónico',
  verified: 'La dirección está verificada',
  verifiedHint: 'Solo si sabes que este usuario lee los correos de esta dirección.',
  username: 'Nombre de usuario',
  emptyHint: 'Déjalo vacío si no quieres ninguno.',
  roles: 'Roles',
  rolesHint: (example) => `Separados por espacios o comas; por ejemplo: ${example}.`,
  rolesEmptyHint: (example) =>
    `Separados por espacios o comas; por ejemplo: ${example}. Déjalo vacío si no quieres ninguno.`,
  metadata: 'Metadatos',
  metadataJson: 'Metadatos (JSON)',
  metadataHint: 'Un objeto JSON de 8 KB como máximo.',
  reasonLabel: 'Motivo',
  signOut: {
    title: 'Cerrar sesión en todas partes',
    lead: (name) => [
      'Cierra todas las sesiones y revoca todos los tokens de ',
      name,
      '. Las claves de API siguen siendo válidas.',
    ],
    own: 'Esta es tu propia cuenta. Tendrás que iniciar sesión de nuevo.',
  },
  impersonate: {
    title: 'Actuar como el usuario',
    lead: (name) => [
      'Actúas como ',
      name,
      ' en la aplicación durante 15 minutos como máximo. Para dejarlo, usa el botón de la parte superior de las páginas de la cuenta o vuelve a abrir las páginas de administración.',
    ],
    reasonHint: 'Se guarda con este acceso; por ejemplo, el número de una solicitud de soporte.',
  },
  delete: {
    title: 'Eliminar usuario',
    lead: (name) => [
      'Elimina a ',
      name,
      ' con todas sus sesiones, métodos de inicio de sesión, claves de API y membresías, y los datos que tu aplicación guarda sobre este usuario. Esta acción no se puede deshacer.',
    ],
    confirm: (phrase) => `Para confirmar, escribe ${phrase}`,
  },
  block: {
    title: 'Bloquear usuario',
    lead: (name) => [
      'Se cerrarán todas las sesiones de ',
      name,
      ', que no podrá iniciar sesión durante el bloqueo. Las claves de API de este usuario dejarán de funcionar.',
    ],
    own: 'Esta es tu propia cuenta. Se cerrará tu sesión y no podrás desbloquearte.',
    reasonHint: 'Para administradores. El usuario nunca lo ve.',
    duration: 'Duración',
    forever: 'Hasta que desbloquees al usuario',
    hour: '1 hora',
    day: '1 día',
    week: '7 días',
    month: '30 días',
    date: 'Hasta una fecha',
    until: (zone) => ['Final del bloqueo (', zone, ')'],
  },
  unblock: {
    title: 'Desbloquear usuario',
    lead: (name) => [
      name,
      ' podrá volver a iniciar sesión y las claves de API de este usuario volverán a funcionar. Las sesiones que cerró el bloqueo siguen cerradas.',
    ],
  },
  editMetadata: {
    title: 'Editar metadatos',
    lead: (name) => ['Lo que la aplicación guarda sobre ', name, '.'],
    hint: 'Un objeto JSON de 8 KB como máximo. Reemplaza todos los metadatos.',
    current: 'Metadatos actuales',
    submit: 'Guardar metadatos',
  },
  name: {
    title: 'Cambiar nombre',
    titleWithPicture: 'Cambiar nombre e imagen',
    lead: (name) => ['Lo que otros usuarios ven de ', name, '.'],
    name: 'Nombre',
    picture: 'Enlace a una imagen',
    pictureHint: (sources) => `Debe empezar por ${sources}. Déjalo vacío si no quieres ninguno.`,
    submit: 'Guardar',
  },
  invite: {
    title: 'Invitar usuario',
    lead: 'El usuario recibe un correo con un enlace que funciona una sola vez, durante siete días. Al abrirlo se verifica la dirección.',
    submit: 'Enviar invitación',
  },
  create: {
    title: 'Crear usuario',
    lead: 'Crea la cuenta de inmediato y no envía ningún correo. Para que el usuario elija una contraseña, invítalo.',
    password: 'Contraseña',
  },
  address: {
    add: 'Añadir correo electrónico',
    change: 'Cambiar correo electrónico',
    lead: 'Una dirección nueva cierra todas las sesiones del usuario y anula lo que se envió a la anterior.',
    submit: 'Guardar dirección',
  },
  verify: {
    title: 'Verificar correo electrónico',
    lead: (address) => [
      'Marca ',
      address,
      ' como verificada, sin enviar ningún correo. Hazlo solo si sabes que el usuario lee los correos de esta dirección.',
    ],
    submit: 'Verificar dirección',
  },
  changeUsername: {
    add: 'Añadir nombre de usuario',
    change: 'Cambiar nombre de usuario',
    submit: 'Guardar nombre de usuario',
  },
  changeRoles: {
    title: 'Cambiar roles',
    lead: (name) => ['Los roles de ', name, ' en la aplicación.'],
    own: 'Esta es tu propia cuenta. Sin tu rol puedes perder el acceso a estas páginas.',
    submit: 'Guardar roles',
  },
  password: {
    replace: 'Reemplazar contraseña',
    set: 'Establecer contraseña',
    lead: (name) => ['Cierra todas las sesiones de ', name, ' y anula los códigos y enlaces pendientes.'],
    new: 'Nueva contraseña',
  },
  removals: {
    gone: 'Esto ya no existe: ha terminado o pertenece a otro usuario.',
    user: 'Usuario',
    session: {
      title: 'Cerrar sesión en el dispositivo',
      term: 'Sesión',
      effect: 'La sesión del dispositivo se cierra en su próxima solicitud.',
    },
    token: {
      title: 'Revocar token de aplicación',
      term: 'Aplicación',
      effect: 'La sesión de la aplicación se cierra en su próxima solicitud.',
    },
    account: {
      title: 'Desvincular cuenta',
      term: 'Cuenta',
      effect: 'El usuario ya no podrá iniciar sesión con esto.',
    },
    passkey: {
      title: 'Eliminar llave de acceso',
      term: 'Llave de acceso',
      effect: 'El usuario ya no podrá iniciar sesión con esto.',
    },
    app: {
      title: 'Eliminar aplicación de autenticación',
      term: 'Segundo factor',
      effect:
        'El usuario inicia sesión sin segundo factor y se cierran todas sus sesiones. También se eliminan los códigos de recuperación.',
    },
    organization: {
      title: 'Retirar de la organización',
      term: 'Organización',
      effect: 'El usuario pierde el acceso a la organización. Se le puede invitar de nuevo.',
    },
    key: {
      title: 'Revocar clave de API',
      term: 'Clave de API',
      effect: 'Los programas que usan esta clave se rechazan de inmediato. Esta acción no se puede deshacer.',
    },
  },
};
