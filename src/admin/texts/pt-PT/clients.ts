/** Portuguese of Portugal: the clients of the OAuth server. */
import { pluralForms } from '../plural.js';
import type { AdminTexts } from '../texts.js';

const plural = pluralForms('pt-PT');

export const clients: AdminTexts['clients'] = {
  register: 'Registar cliente',
  count: (n, shown) => plural(n, { one: `${shown} cliente`, other: `${shown} clientes` }),
  client: 'Cliente',
  kind: 'Tipo',
  returnsTo: 'Regressa a',
  created: 'Criação',
  createdAt: (time) => ['Data de criação: ', time],
  none: 'Ainda não há clientes',
  noneLead:
    'Os clientes são aplicações que pedem acesso aos utilizadores. Aparecem aqui quando os regista ou quando se registam a si próprios.',
  notFound: 'Cliente não encontrado',
  notFoundLead: 'Pode ter sido removido ou ter expirado.',
  kinds: {
    registered: 'Registado',
    dynamic: 'Registou-se a si próprio',
    document: 'Endereço próprio',
  },
  proofs: {
    none: 'sem segredo',
    secret: 'com segredo',
    key: 'com chave própria',
  },
  kindAndProof: (kind, proof) => `${kind}, ${proof}`,
  name: 'Nome',
  nameHint: 'Os utilizadores leem-no quando o cliente pede acesso.',
  id: 'ID do cliente',
  redirects: 'Endereços de redirecionamento',
  redirectsHint: (example) => `Endereços exatos, um por linha, por exemplo, ${example}.`,
  page: 'Página',
  expires: 'Expira',
  change: 'Alterar',
  remove: 'Remover',
  secret: 'Segredo',
  secrets: 'Segredos',
  newLead: 'Uma aplicação que pode pedir aos utilizadores acesso às respetivas contas.',
  confidential: 'É executado num servidor e guarda um segredo',
  confidentialHint:
    'O segredo é mostrado uma única vez. Aplicações, linhas de comandos e páginas não guardam nenhum.',
  edit: {
    title: 'Alterar cliente',
    lead: 'As permissões dadas pelos utilizadores mantêm-se.',
    submit: 'Guardar cliente',
  },
  shownSecret: {
    title: 'Segredo do cliente',
    lead: 'Copie o segredo agora. Não volta a ser mostrado.',
    done: 'Concluído',
  },
  addSecret: {
    title: 'Adicionar segredo',
    lead: 'Ambos os segredos são aceites até remover um deles.',
  },
  removeSecret: {
    title: 'Remover segredo',
    lead: 'Os programas que utilizam este segredo são recusados de imediato. Não é possível anular esta ação.',
  },
  removal: {
    title: 'Remover cliente',
    summary: 'Todas as permissões dadas pelos utilizadores terminam.',
    lead: 'O cliente e todas as permissões dadas pelos utilizadores terminam de imediato. Não é possível anular esta ação.',
  },
};
