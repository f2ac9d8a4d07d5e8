/** Portuguese of Portugal: the forms that change a user. */
import type { AdminTexts } from '../texts.js';

export const actions: AdminTexts['actions'] = {
  ownAccount: 'Esta é a sua própria conta.',
  email: 'Endereço de e-mail',
  verified: 'O endereço está verificado',
  verifiedHint: 'Só se souber que este utilizador lê os e-mails deste endereço.',
  username: 'Nome de utilizador',
  emptyHint: 'Deixe em branco para não ter nenhum.',
  roles: 'Funções',
  rolesHint: (example) => `Separadas por espaços ou vírgulas, por exemplo: ${example}.`,
  rolesEmptyHint: (example) =>
    `Separadas por espaços ou vírgulas, por exemplo: ${example}. Deixe em branco para não ter nenhuma.`,
  metadata: 'Metadados',
  metadataJson: 'Metadados (JSON)',
  metadataHint: 'Um objeto JSON com um máximo de 8 KB.',
  reasonLabel: 'Motivo',
  signOut: {
    title: 'Terminar todas as sessões',
    lead: (name) => [
      'Termina todas as sessões e revoga todos os tokens de ',
      name,
      '. As chaves de API continuam válidas.',
    ],
    own: 'Esta é a sua própria conta. Terá de iniciar sessão novamente.',
  },
  impersonate: {
    title: 'Agir como o utilizador',
    lead: (name) => [
      'Age como ',
      name,
      ' na aplicação durante um máximo de 15 minutos. Para parar, utilize o botão no topo de cada página da conta ou abra novamente as páginas de administração.',
    ],
    reasonHint: 'Fica registado com este acesso, por exemplo, o número de um pedido de apoio.',
  },
  delete: {
    title: 'Eliminar utilizador',
    lead: (name) => [
      'Elimina ',
      name,
      ' com todas as sessões, métodos de início de sessão, chaves de API e participações, e os dados que a sua aplicação guarda sobre este utilizador. Não é possível anular esta ação.',
    ],
    confirm: (phrase) => `Para confirmar, escreva ${phrase}`,
  },
  block: {
    title: 'Bloquear utilizador',
    lead: (name) => [
      'Todas as sessões de ',
      name,
      ' são terminadas e não é possível iniciar sessão durante o bloqueio. As chaves de API deste utilizador deixam de funcionar.',
    ],
    own: 'Esta é a sua própria conta. A sua sessão será terminada e não poderá desbloquear-se.',
    reasonHint: 'Para administradores. O utilizador nunca o vê.',
    duration: 'Duração',
    forever: 'Até desbloquear o utilizador',
    hour: '1 hora',
    day: '1 dia',
    week: '7 dias',
    month: '30 dias',
    date: 'Até uma data',
    until: (zone) => ['Fim do bloqueio (', zone, ')'],
  },
  unblock: {
    title: 'Desbloquear utilizador',
    lead: (name) => [
      name,
      ' pode voltar a iniciar sessão e as chaves de API deste utilizador voltam a funcionar. As sessões que o bloqueio terminou continuam terminadas.',
    ],
  },
  editMetadata: {
    title: 'Editar metadados',
    lead: (name) => ['O que a aplicação guarda sobre ', name, '.'],
    hint: 'Um objeto JSON com um máximo de 8 KB. Substitui todos os metadados.',
    current: 'Metadados atuais',
    submit: 'Guardar metadados',
  },
  name: {
    title: 'Alterar nome',
    titleWithPicture: 'Alterar nome e imagem',
    lead: (name) => ['O que os outros utilizadores veem de ', name, '.'],
    name: 'Nome',
    picture: 'Ligação para uma imagem',
    pictureHint: (sources) => `Tem de começar por ${sources}. Deixe em branco para não ter nenhuma.`,
    submit: 'Guardar',
  },
  invite: {
    title: 'Convidar utilizador',
    lead: 'O utilizador recebe um e-mail com uma ligação que funciona uma vez, durante sete dias. Abri-la verifica o endereço.',
    submit: 'Enviar convite',
  },
  create: {
    title: 'Criar utilizador',
    lead: 'Cria a conta de imediato e não envia nenhum e-mail. Para que o utilizador escolha uma palavra-passe, envie-lhe um convite.',
    password: 'Palavra-passe',
  },
  address: {
    add: 'Adicionar endereço de e-mail',
    change: 'Alterar endereço de e-mail',
    lead: 'Um novo endereço termina todas as sessões do utilizador e cancela o que foi enviado para o antigo.',
    submit: 'Guardar endereço',
  },
  verify: {
    title: 'Verificar endereço de e-mail',
    lead: (address) => [
      'Marca ',
      address,
      ' como verificado, sem enviar um e-mail. Faça-o apenas se souber que o utilizador lê os e-mails deste endereço.',
    ],
    submit: 'Verificar endereço',
  },
  changeUsername: {
    add: 'Adicionar nome de utilizador',
    change: 'Alterar nome de utilizador',
    submit: 'Guardar nome de utilizador',
  },
  changeRoles: {
    title: 'Alterar funções',
    lead: (name) => ['As funções de ', name, ' na aplicação.'],
    own: 'Esta é a sua própria conta. Sem a sua função, pode perder o acesso a estas páginas.',
    submit: 'Guardar funções',
  },
  password: {
    replace: 'Substituir palavra-passe',
    set: 'Definir palavra-passe',
    lead: (name) => ['Termina todas as sessões de ', name, ' e cancela códigos e ligações pendentes.'],
    new: 'Nova palavra-passe',
  },
  removals: {
    gone: 'Isto já não existe: já terminou ou pertence a outro utilizador.',
    user: 'Utilizador',
    session: {
      title: 'Terminar sessão no dispositivo',
      term: 'Sessão',
      effect: 'A sessão no dispositivo termina no pedido seguinte.',
    },
    token: {
      title: 'Revogar token de aplicação',
      term: 'Aplicação',
      effect: 'A sessão da aplicação termina no pedido seguinte.',
    },
    account: {
      title: 'Desassociar conta',
      term: 'Conta',
      effect: 'O utilizador deixa de poder iniciar sessão com ela.',
    },
    passkey: {
      title: 'Remover chave de acesso',
      term: 'Chave de acesso',
      effect: 'O utilizador deixa de poder iniciar sessão com ela.',
    },
    app: {
      title: 'Remover aplicação de autenticação',
      term: 'Segundo fator',
      effect:
        'O utilizador inicia sessão sem segundo fator e todas as suas sessões são terminadas. Os códigos de recuperação também são removidos.',
    },
    organization: {
      title: 'Remover da organização',
      term: 'Organização',
      effect: 'O utilizador perde o acesso à organização. Pode ser convidado novamente.',
    },
    key: {
      title: 'Revogar chave de API',
      term: 'Chave de API',
      effect:
        'Os programas que utilizam esta chave são recusados de imediato. Não é possível anular esta ação.',
    },
  },
};
