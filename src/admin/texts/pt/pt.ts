/** Portuguese of Brazil: the frame of the admin pages, and messages. */
import type { AdminTexts } from '../texts.js';
import { errors } from './errors.js';
import { users } from './users.js';
import { actions } from './actions.js';
import { clients } from './clients.js';
import { operations } from './operations.js';
import { reports } from './reports.js';

export const pt: AdminTexts = {
  direction: 'ltr',
  skip: 'Ir para o conteúdo',
  language: 'Idioma',
  zone: (zone) => ['Horários no fuso ', zone],
  error: 'Erro',
  optional: 'opcional',
  cancel: 'Cancelar',
  none: 'Nenhum',
  never: 'Nunca',
  nothingChanged: 'Nada foi alterado',
  toApp: 'Voltar ao app',
  signedIn: 'Sessão iniciada',
  sections: {
    label: 'Menu principal',
    trail: 'Caminho',
    overview: 'Visão geral',
    users: 'Usuários',
    clients: 'Clientes',
    audit: 'Registro de auditoria',
  },
  pager: {
    label: 'Páginas da lista',
    first: 'Primeira página',
    previous: 'Página anterior',
    next: 'Próxima página',
    empty: 'Esta página da lista está vazia.',
  },
  names: {
    user: (id) => `Usuário ${id}`,
    guest: (id) => `Convidado ${id}`,
  },
  states: {
    active: 'Ativo',
    blocked: 'Bloqueado',
    guest: 'Convidado',
    verified: 'Verificado',
    unverified: 'Não verificado',
    twoFactor: 'Duas etapas',
    you: 'Você',
  },
  devices: {
    on: (client, system) => `${client} no ${system}`,
    unknown: 'Dispositivo desconhecido',
  },
  impersonation: {
    title: 'Você está agindo como outro usuário',
    lead: (who) => [
      'Você está agindo como ',
      who,
      '. As páginas de administração ficam fechadas até você parar.',
    ],
    stop: 'Parar de agir como o usuário',
  },
  done: {
    address: 'E-mail alterado.',
    blocked: 'Usuário bloqueado.',
    client_created: 'Cliente registrado.',
    client_removed: 'Cliente removido.',
    client_saved: 'Cliente salvo.',
    created: 'Usuário criado.',
    deleted: 'Usuário excluído.',
    impersonation_ended: 'Você não está mais agindo como o usuário.',
    invited: 'Convite enviado.',
    invited_again: 'Este endereço tem uma conta não verificada. Outro convite foi enviado.',
    key_revoked: 'Chave de API revogada.',
    metadata: 'Metadados salvos.',
    name: 'Nome e foto salvos.',
    password: 'Senha definida.',
    removed_app: 'App autenticador removido.',
    removed_from_org: 'Usuário removido da organização.',
    removed_passkey: 'Chave de acesso removida.',
    roles: 'Funções salvas.',
    secret_removed: 'Segredo removido.',
    session_ended: 'Dispositivo desconectado.',
    signed_out: 'Usuário desconectado de todos os lugares.',
    token_revoked: 'Token de app revogado.',
    unblocked: 'Usuário desbloqueado.',
    unlinked: 'Conta desvinculada.',
    username: 'Nome de usuário salvo.',
    verified: 'E-mail verificado.',
  },
  errors,
  ...users,
  actions,
  clients,
  operations,
  ...reports,
};
