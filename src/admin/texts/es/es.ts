/** Spanish: the frame of the admin pages, and messages. */
import type { AdminTexts } from '../texts.js';
import { errors } from './errors.js';
import { users } from './users.js';
import { actions } from './actions.js';
import { clients } from './clients.js';
import { operations } from './operations.js';
import { reports } from './reports.js';

export const es: AdminTexts = {
  direction: 'ltr',
  skip: 'Ir al contenido',
  language: 'Idioma',
  zone: (zone) => ['Horas en la zona horaria ', zone],
  error: 'Error',
  optional: 'opcional',
  cancel: 'Cancelar',
  none: 'Ninguno',
  never: 'Nunca',
  nothingChanged: 'No se ha cambiado nada',
  toApp: 'Volver a la aplicación',
  signedIn: 'Sesión iniciada',
  sections: {
    label: 'Menú principal',
    trail: 'Ruta de navegación',
    overview: 'Resumen',
    users: 'Usuarios',
    clients: 'Clientes',
    audit: 'Registro de auditoría',
  },
  pager: {
    label: 'Páginas de la lista',
    first: 'Primera página',
    previous: 'Página anterior',
    next: 'Página siguiente',
    empty: 'Esta página de la lista está vacía.',
  },
  names: {
    user: (id) => `Usuario ${id}`,
    guest: (id) => `Invitado ${id}`,
  },
  states: {
    active: 'Activo',
    blocked: 'Bloqueado',
    guest: 'Invitado',
    verified: 'Verificado',
    unverified: 'Sin verificar',
    twoFactor: 'Dos pasos',
    you: 'Tú',
  },
  devices: {
    on: (client, system) => `${client} en ${system}`,
    unknown: 'Dispositivo desconocido',
  },
  impersonation: {
    title: 'Estás actuando como otro usuario',
    lead: (who) => [
      'Actúas como ',
      who,
      '. Las páginas de administración están cerradas hasta que lo dejes.',
    ],
    stop: 'Dejar de actuar como el usuario',
  },
  done: {
    address: 'Correo electrónico cambiado.',
    blocked: 'Usuario bloqueado.',
    client_created: 'Cliente registrado.',
    client_removed: 'Cliente eliminado.',
    client_saved: 'Cliente guardado.',
    created: 'Usuario creado.',
    deleted: 'Usuario eliminado.',
    impersonation_ended: 'Ya no actúas como el usuario.',
    invited: 'Invitación enviada.',
    invited_again: 'Esta dirección tiene una cuenta sin verificar. Se ha enviado otra invitación.',
    key_revoked: 'Clave de API revocada.',
    metadata: 'Metadatos guardados.',
    name: 'Nombre e imagen guardados.',
    password: 'Contraseña establecida.',
    removed_app: 'Aplicación de autenticación eliminada.',
    removed_from_org: 'Usuario retirado de la organización.',
    removed_passkey: 'Llave de acceso eliminada.',
    roles: 'Roles guardados.',
    secret_removed: 'Secreto eliminado.',
    session_ended: 'Sesión cerrada en el dispositivo.',
    signed_out: 'Sesiones del usuario cerradas en todas partes.',
    token_revoked: 'Token de aplicación revocado.',
    unblocked: 'Usuario desbloqueado.',
    unlinked: 'Cuenta desvinculada.',
    username: 'Nombre de usuario guardado.',
    verified: 'Correo electrónico verificado.',
  },
  errors,
  ...users,
  actions,
  clients,
  operations,
  ...reports,
};
