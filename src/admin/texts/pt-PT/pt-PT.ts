/** Portuguese of Portugal: the frame of the admin pages, and messages. */
import type { AdminTexts } from '../texts.js';
import { errors } from './errors.js';
import { users } from './users.js';
import { actions } from './actions.js';
import { clients } from './clients.js';
import { operations } from './operations.js';
import { reports } from './reports.js';

export const ptPT: AdminTexts = {
  direction: 'ltr',
  skip: 'Ir para o conteúdo',
  language: 'Idioma',
  zone: (zone) => ['Horas no fuso horário ', zone],
  error: 'Erro',
  optional: 'opcional',
  cancel: 'Cancelar',
  none: 'Nenhum',
  never: 'Nunca',
  nothingChanged: 'Nada foi alterado',
  toApp: 'Voltar à aplicação',
  signedIn: 'Sessão iniciada',
  sections: {
    label: 'Menu principal',
    trail: 'Caminho',
    overview: 'Vista geral',
    users: 'Utilizadores',
    clients: 'Clientes',
    audit: 'Registo de auditoria',
  },
  pager: {
    label: 'Páginas da lista',
    first: 'Primeira página',
    previous: 'Página anterior',
    next: 'Página seguinte',
    empty: 'Esta página da lista está vazia.',
  },
  names: {
    user: (id) => `Utilizador ${id}`,
    guest: (id) => `Convidado ${id}`,
  },
  states: {
    active: 'Ativo',
    blocked: 'Bloqueado',
    guest: 'Convidado',
    verified: 'Verificado',
    unverified: 'Não verificado',
    twoFactor: 'Dois passos',
    you: 'Eu',
  },
  devices: {
    on: (client, system) => `${client} no ${system}`,
    unknown: 'Dispositivo desconhecido',
  },
  impersonation: {
    title: 'Está a agir como outro utilizador',
    lead: (who) => ['Está a agir como ', who, '. As páginas de administração ficam fechadas até parar.'],
    stop: 'Deixar de agir como o utilizador',
  },
  done: {
    address: 'Endereço de e-mail alterado.',
    blocked: 'Utilizador bloqueado.',
    client_created: 'Cliente registado.',
    client_removed: 'Cliente removido.',
    client_saved: 'Cliente guardado.',
    created: 'Utilizador criado.',
    deleted: 'Utilizador eliminado.',
    impersonation_ended: 'Já não está a agir como o utilizador.',
    invited: 'Convite enviado.',
    invited_again: 'Este endereço tem uma conta que não está verificada. Foi enviado outro convite.',
    key_revoked: 'Chave de API revogada.',
    metadata: 'Metadados guardados.',
    name: 'Nome e imagem guardados.',
    password: 'Palavra-passe definida.',
    removed_app: 'Aplicação de autenticação removida.',
    removed_from_org: 'Utilizador removido da organização.',
    removed_passkey: 'Chave de acesso removida.',
    roles: 'Funções guardadas.',
    secret_removed: 'Segredo removido.',
    session_ended: 'Sessão no dispositivo terminada.',
    signed_out: 'Todas as sessões do utilizador terminadas.',
    token_revoked: 'Token de aplicação revogado.',
    unblocked: 'Utilizador desbloqueado.',
    unlinked: 'Conta desassociada.',
    username: 'Nome de utilizador guardado.',
    verified: 'Endereço de e-mail verificado.',
  },
  errors,
  ...users,
  actions,
  clients,
  operations,
  ...reports,
};
