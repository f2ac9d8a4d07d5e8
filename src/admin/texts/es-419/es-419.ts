/** Spanish of Latin America: what differs from that of Spain. */
import { regional } from '../../../core/support/regional.js';
import { es } from '../es/es.js';
import type { AdminTexts } from '../texts.js';
import { operations } from './operations.js';

export const es419: AdminTexts = regional(es, {
  operations,
  audit: { actionTooLong: 'Ingresa 255 caracteres como máximo.' },
  nothingChanged: 'No se cambió nada',
  done: {
    invited_again: 'Esta dirección tiene una cuenta sin verificar. Se envió otra invitación.',
    name: 'Nombre y foto guardados.',
  },
  errors: {
    signedInAs: (who) => ['Iniciaste sesión como ', who, '.'],
    pages: {
      failed: {
        title: 'Algo salió mal',
        text: 'No se pudo mostrar la página. Inténtalo de nuevo en un momento.',
      },
      formExpired: {
        title: 'Este formulario venció',
        text: 'Volviste a iniciar sesión desde que se abrió este formulario. No se cambió nada. Ábrelo de nuevo.',
      },
    },
    email: 'Ingresa una dirección de correo electrónico; por ejemplo, ada@example.com.',
    emailMissing: 'Ingresa una dirección de correo electrónico. Este cambio la requiere.',
    name: 'Ingresa un nombre de 100 caracteres como máximo en una sola línea.',
    outdated:
      'El usuario cambió desde que se abrió esta página. Compara tu cambio con los valores actuales y guarda de nuevo.',
    roles:
      'Ingresa como máximo 20 roles de 1 a 64 minúsculas, cifras o . _ : - con una letra o una cifra en ambos extremos.',
    role: 'Ingresa un rol tal como se asigna a los usuarios; por ejemplo, support.',
    userId: 'Ingresa el identificador de un usuario.',
    redirect:
      'Ingresa de una a veinte direcciones, cada una en una línea: todas con https, o todas de una aplicación, con su propio esquema o con http para esta computadora.',
    uri: 'Ingresa una dirección; por ejemplo, https://partner.example/.',
    secretLast: 'Este es el único secreto del cliente. Primero agrega otro.',
    until: 'Ingresa una fecha y hora futuras.',
    untilMissing: 'Ingresa la fecha y la hora.',
    untilUnused: 'Elige “Hasta una fecha” o borra el final del bloqueo.',
    passwordMissing: 'Ingresa una contraseña.',
    sendFailed: 'No se pudo enviar el correo. Inténtalo de nuevo en un momento.',
    invalid: 'El cambio se rechazó. Revisa el formulario e inténtalo de nuevo.',
  },
  user: {
    add: 'Agregar',
    methods: {
      added: (time) => ['Se agregó el ', time],
    },
    keys: {
      expired: 'Vencida',
    },
  },
  actions: {
    name: {
      titleWithPicture: 'Cambiar nombre y foto',
    },
    address: {
      add: 'Agregar correo electrónico',
    },
    changeUsername: {
      add: 'Agregar nombre de usuario',
    },
    removals: {
      gone: 'Esto ya no existe: terminó o pertenece a otro usuario.',
    },
  },
  clients: {
    notFoundLead: 'Es posible que se haya eliminado o que haya vencido.',
    expires: 'Vencimiento',
    edit: {
      lead: 'Los permisos que le dieron los usuarios se mantienen.',
    },
    addSecret: {
      title: 'Agregar secreto',
    },
    removal: {
      summary: 'Todos los permisos que le dieron los usuarios terminan.',
      lead: 'El cliente y todos los permisos que le dieron los usuarios terminan de inmediato. Esta acción no se puede deshacer.',
    },
  },
});
