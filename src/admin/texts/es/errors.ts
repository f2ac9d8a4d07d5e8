/** Spanish: refused requests and changes. */
import { pluralForms } from '../plural.js';
import type { AdminTexts } from '../texts.js';

const plural = pluralForms('es');

export const errors: AdminTexts['errors'] = {
  toUsers: 'Volver a los usuarios',
  toUser: 'Volver al usuario',
  signIn: 'Iniciar sesión',
  signInAgain: 'Iniciar sesión de nuevo',
  signOut: 'Cerrar sesión',
  signedInAs: (who) => ['Has iniciado sesión como ', who, '.'],
  pages: {
    failed: {
      title: 'Algo ha ido mal',
      text: 'No se ha podido mostrar la página. Inténtalo de nuevo en un momento.',
    },
    notFound: {
      title: 'Página no encontrada',
      text: 'No hay ninguna página en esta dirección.',
    },
    formExpired: {
      title: 'Este formulario ha caducado',
      text: 'Has vuelto a iniciar sesión desde que se abrió este formulario. No se ha cambiado nada. Ábrelo de nuevo.',
    },
    noAccess: {
      title: 'Sin acceso',
      text: 'Tu cuenta no tiene permiso para esto.',
    },
    signIn: {
      title: 'Iniciar sesión',
      text: 'Inicia sesión como administrador y vuelve a abrir esta página.',
    },
    confirm: {
      title: 'Confirma tu identidad',
      text: 'Por tu seguridad, inicia sesión de nuevo para hacer cambios.',
    },
    userNotFound: {
      title: 'Usuario no encontrado',
      text: 'No hay ningún usuario con este identificador. Es posible que se haya eliminado.',
    },
    invalid: {
      title: 'Solicitud no válida',
      text: 'La dirección de esta página o su formulario no son válidos.',
    },
    notConfigured: {
      title: 'No disponible',
      text: 'La aplicación no está configurada para esto.',
    },
    license: {
      title: 'No disponible',
      text: 'Esta función requiere una licencia.',
    },
    storage: {
      title: 'No disponible',
      text: 'El adaptador de almacenamiento no admite esta función.',
    },
  },
  emailExists: 'Otro usuario tiene esta dirección.',
  weakPassword: 'Esta contraseña es demasiado corta, demasiado común o contiene la dirección. Elige otra.',
  email: 'Escribe una dirección de correo electrónico; por ejemplo, ada@example.com.',
  emailMissing: 'Escribe una dirección de correo electrónico. Este cambio la requiere.',
  name: 'Escribe un nombre de 100 caracteres como máximo en una sola línea.',
  nameAddress: 'El nombre no puede contener una dirección de correo ni un enlace.',
  nameReserved: 'Este nombre está reservado. Elige otro.',
  pictureSource: 'No se permiten imágenes de esta dirección.',
  usernameTaken: 'Otro usuario tiene este nombre de usuario.',
  usernameInvalid:
    'Usa de 1 a 32 letras y cifras de una misma escritura, con puntos, guiones o guiones bajos sueltos entre ellas.',
  usernameReserved: 'Este nombre de usuario está reservado. Elige otro.',
  guest: 'Un invitado obtiene una dirección al registrarse.',
  outdated:
    'El usuario ha cambiado desde que se abrió esta página. Compara tu cambio con los valores actuales y guarda de nuevo.',
  lastMethod: 'El usuario ya no podría iniciar sesión sin esto.',
  metadata: 'Los metadatos deben ser un objeto JSON de 8 KB y 8 niveles como máximo, sin claves reservadas.',
  metadataObject: (example) => `Los metadatos deben ser un objeto JSON; por ejemplo, ${example}.`,
  metadataSyntax: (line, column) => `Este JSON no es válido. Revisa la línea ${line}, columna ${column}.`,
  roles:
    'Escribe como máximo 20 roles de 1 a 64 minúsculas, cifras o . _ : - con una letra o una cifra en ambos extremos.',
  role: 'Escribe un rol tal como se asigna a los usuarios; por ejemplo, support.',
  filters: 'Estas condiciones no son válidas. Borra los filtros.',
  userId: 'Escribe el identificador de un usuario.',
  redirect:
    'Escribe de una a veinte direcciones, cada una en una línea: todas con https, o todas de una aplicación, con su propio esquema o con http para este ordenador.',
  uri: 'Escribe una dirección; por ejemplo, https://partner.example/.',
  secretUnused: 'El cliente no usa ningún secreto: registra uno confidencial.',
  secretLimit: 'El cliente tiene dos secretos. Primero elimina uno de ellos.',
  secretLast: 'Este es el único secreto del cliente. Primero añade otro.',
  until: 'Escribe una fecha y hora futuras.',
  untilMissing: 'Escribe la fecha y la hora.',
  untilUnused: 'Elige «Hasta una fecha» o borra el final del bloqueo.',
  duration: 'Elige una duración.',
  reason: 'El motivo debe tener 500 caracteres como máximo.',
  passwordMissing: 'Escribe una contraseña.',
  phrase: 'El texto no coincide con el que se pide.',
  incomplete: 'El formulario está incompleto. Ábrelo de nuevo.',
  lastOwner:
    'El último propietario de una organización no puede abandonarla. Primero convierte a otro miembro en propietario.',
  blocked: 'Este usuario está bloqueado.',
  notAllowed: 'La aplicación no permite esto para este usuario.',
  sendFailed: 'No se ha podido enviar el correo. Inténtalo de nuevo en un momento.',
  notConfigured: 'La aplicación no está configurada para esto.',
  invalid: 'El cambio se ha rechazado. Revisa el formulario e inténtalo de nuevo.',
  tooMany: (inMinutes) =>
    plural(inMinutes, {
      one: 'Demasiados intentos. Inténtalo de nuevo en un minuto.',
      other: `Demasiados intentos. Inténtalo de nuevo en ${inMinutes} minutos.`,
    }),
};
