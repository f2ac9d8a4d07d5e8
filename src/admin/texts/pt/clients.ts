/** Portuguese of Brazil: the clients of the OAuth server. */
import { pluralForms } from '../plural.js';
import type { AdminTexts } from '../texts.js';

const plural = pluralForms('pt');

export const clients: AdminTexts['clients'] = {
  register: 'Registrar cliente',
  count: (n, shown) => plural(n, { one: `${shown} cliente`, other: `${shown} clientes` }),
  client: 'Cliente',
  kind: 'Tipo',
  returnsTo: 'Retorna para',
  created: 'Criação',
  createdAt: (time) => ['Criado em ', time],
  none: 'Ainda não há clientes',
  noneLead:
    'Clientes são aplicativos que pedem acesso aos usuários. Eles aparecem aqui quando você os registra ou quando se registram sozinhos.',
  notFound: 'Cliente não encontrado',
  notFoundLead: 'Ele pode ter sido removido ou expirado.',
  kinds: {
    registered: 'Registrado',
    dynamic: 'Registrou-se sozinho',
    document: 'Endereço próprio',
  },
  proofs: {
    none: 'sem segredo',
    secret: 'com segredo',
    key: 'com chave própria',
  },
  kindAndProof: (kind, proof) => `${kind}, ${proof}`,
  name: 'Nome',
  nameHint: 'Os usuários o leem quando o cliente pede acesso.',
  id: 'ID do cliente',
  redirects: 'Endereços de redirecionamento',
  redirectsHint: (example) => `Endereços exatos, um por linha, como ${example}.`,
  page: 'Página',
  expires: 'Expira',
  change: 'Alterar',
  remove: 'Remover',
  secret: 'Segredo',
  secrets: 'Segredos',
  newLead: 'Um aplicativo que pode pedir aos usuários acesso às contas deles.',
  confidential: 'Ele roda em um servidor e guarda um segredo',
  confidentialHint:
    'O segredo é mostrado uma única vez. Apps, linhas de comando e páginas não guardam nenhum.',
  edit: {
    title: 'Alterar cliente',
    lead: 'As permissões dadas pelos usuários continuam valendo.',
    submit: 'Salvar cliente',
  },
  shownSecret: {
    title: 'Segredo do cliente',
    lead: 'Copie o segredo agora. Ele não será mostrado de novo.',
    done: 'Concluído',
  },
  addSecret: {
    title: 'Adicionar segredo',
    lead: 'Os dois segredos são aceitos até você remover um deles.',
  },
  removeSecret: {
    title: 'Remover segredo',
    lead: 'Programas que usam este segredo são recusados imediatamente. Esta ação não pode ser desfeita.',
  },
  removal: {
    title: 'Remover cliente',
    summary: 'Todas as permissões dadas pelos usuários terminam.',
    lead: 'O cliente e todas as permissões dadas pelos usuários terminam imediatamente. Esta ação não pode ser desfeita.',
  },
};
