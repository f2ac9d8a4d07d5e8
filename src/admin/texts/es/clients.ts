/** Spanish: the clients of the OAuth server. */
import { pluralForms } from '../plural.js';
import type { AdminTexts } from '../texts.js';

const plural = pluralForms('es');

export const clients: AdminTexts['clients'] = {
  register: 'Registrar cliente',
  count: (n, shown) => plural(n, { one: `${shown} cliente`, other: `${shown} clientes` }),
  client: 'Cliente',
  kind: 'Tipo',
  returnsTo: 'Redirige a',
  created: 'Creación',
  createdAt: (time) => ['Se creó el ', time],
  none: 'Aún no hay clientes',
  noneLead:
    'Los clientes son aplicaciones que piden acceso a los usuarios. Aparecen aquí cuando los registras o cuando se registran por sí mismos.',
  notFound: 'Cliente no encontrado',
  notFoundLead: 'Es posible que se haya eliminado o que haya caducado.',
  kinds: {
    registered: 'Registrado',
    dynamic: 'Registrado por sí mismo',
    document: 'Dirección propia',
  },
  proofs: {
    none: 'sin secreto',
    secret: 'con secreto',
    key: 'con clave propia',
  },
  kindAndProof: (kind, proof) => `${kind}, ${proof}`,
  name: 'Nombre',
  nameHint: 'Los usuarios lo ven cuando el cliente pide acceso.',
  id: 'Id. de cliente',
  redirects: 'Direcciones de redirección',
  redirectsHint: (example) => `Direcciones exactas, cada una en una línea; por ejemplo, ${example}.`,
  page: 'Página',
  expires: 'Caducidad',
  change: 'Cambiar',
  remove: 'Eliminar',
  secret: 'Secreto',
  secrets: 'Secretos',
  newLead: 'Una aplicación que puede pedir a los usuarios acceso a sus cuentas.',
  confidential: 'Se ejecuta en un servidor y guarda un secreto',
  confidentialHint:
    'El secreto se muestra una sola vez. Las aplicaciones, las líneas de comandos y las páginas no guardan ninguno.',
  edit: {
    title: 'Cambiar cliente',
    lead: 'Los permisos que le han dado los usuarios se mantienen.',
    submit: 'Guardar cliente',
  },
  shownSecret: {
    title: 'Secreto del cliente',
    lead: 'Copia el secreto ahora. No se volverá a mostrar.',
    done: 'Listo',
  },
  addSecret: {
    title: 'Añadir secreto',
    lead: 'Se aceptan los dos secretos hasta que elimines uno de ellos.',
  },
  removeSecret: {
    title: 'Eliminar secreto',
    lead: 'Los programas que usan este secreto se rechazan de inmediato. Esta acción no se puede deshacer.',
  },
  removal: {
    title: 'Eliminar cliente',
    summary: 'Todos los permisos que le han dado los usuarios terminan.',
    lead: 'El cliente y todos los permisos que le han dado los usuarios terminan de inmediato. Esta acción no se puede deshacer.',
  },
};
