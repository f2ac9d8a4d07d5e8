/** Portuguese of Brazil: the forms that change a user. */
import type { AdminTexts } from '../texts.js';

export const actions: AdminTexts['actions'] = {
  ownAccount: 'Esta é a sua própria conta.',
  email: 'E-mail',
  verified: 'O endereço está verificado',
  verifiedHint: 'Só se você souber que este usuário lê os e-mails deste endereço.',
  username: 'Nome de usuário',
  emptyHint: 'Deixe em branco para não ter nenhum.',
  roles: 'Funções',
  rolesHint: (example) => `Separadas por espaços ou vírgulas, por exemplo: ${example}.`,
  rolesEmptyHint: (example) =>
    `Separadas por espaços ou vírgulas, por exemplo: ${example}. Deixe em branco para não ter nenhuma.`,
  metadata: 'Metadados',
  metadataJson: 'Metadados (JSON)',
  metadataHint: 'Um objeto JSON de até 8 KB.',
  reasonLabel: 'Motivo',
  signOut: {
    title: 'Sair de todos os lugares',
    lead: (name) => [
      'Encerra todas as sessões e todos os tokens de ',
      name,
      '. As chaves de API continuam válidas.',
    ],
    own: 'Esta é a sua própria conta. Você terá que entrar novamente.',
  },
  impersonate: {
    title: 'Agir como o usuário',
    lead: (name) => [
      'Você age como ',
      name,
      ' no aplicativo por até 15 minutos. Para parar, use o botão no topo das páginas da conta ou abra de novo as páginas de administração.',
    ],
    reasonHint: 'Fica registrado com este acesso, por exemplo o número de um chamado de suporte.',
  },
  delete: {
    title: 'Excluir usuário',
    lead: (name) => [
      'Exclui ',
      name,
      ' com todas as sessões, métodos de acesso, chaves de API e participações, e os dados que seu aplicativo guarda sobre este usuário. Esta ação não pode ser desfeita.',
    ],
    confirm: (phrase) => `Para confirmar, digite ${phrase}`,
  },
  block: {
    title: 'Bloquear usuário',
    lead: (name) => [
      name,
      ' será desconectado de todos os lugares e não poderá entrar durante o bloqueio. As chaves de API deste usuário deixarão de funcionar.',
    ],
    own: 'Esta é a sua própria conta. Você será desconectado e não poderá se desbloquear.',
    reasonHint: 'Para administradores. O usuário nunca vê.',
    duration: 'Duração',
    forever: 'Até você desbloquear o usuário',
    hour: '1 hora',
    day: '1 dia',
    week: '7 dias',
    month: '30 dias',
    date: 'Até uma data',
    until: (zone) => ['Fim do bloqueio (', zone, ')'],
  },
  unblock: {
    title: 'Desbloquear usuário',
    lead: (name) => [
      name,
      ' poderá entrar de novo, e as chaves de API deste usuário voltarão a funcionar. As sessões que o bloqueio encerrou continuam encerradas.',
    ],
  },
  editMetadata: {
    title: 'Editar metadados',
    lead: (name) => ['O que o aplicativo guarda sobre ', name, '.'],
    hint: 'Um objeto JSON de até 8 KB. Ele substitui todos os metadados.',
    current: 'Metadados atuais',
    submit: 'Salvar metadados',
  },
  name: {
    title: 'Alterar nome',
    titleWithPicture: 'Alterar nome e foto',
    lead: (name) => ['O que outros usuários veem de ', name, '.'],
    name: 'Nome',
    picture: 'Link para uma imagem',
    pictureHint: (sources) => `Deve começar com ${sources}. Deixe em branco para não ter nenhum.`,
    submit: 'Salvar',
  },
  invite: {
    title: 'Convidar usuário',
    lead: 'O usuário recebe um e-mail com um link que funciona uma vez, por sete dias. Ao abri-lo, o endereço é verificado.',
    submit: 'Enviar convite',
  },
  create: {
    title: 'Criar usuário',
    lead: 'Cria a conta imediatamente e não envia e-mail. Para que o usuário escolha uma senha, envie um convite.',
    password: 'Senha',
  },
  address: {
    add: 'Adicionar e-mail',
    change: 'Alterar e-mail',
    lead: 'Um novo endereço encerra todas as sessões do usuário e cancela o que foi enviado ao antigo.',
    submit: 'Salvar endereço',
  },
  verify: {
    title: 'Verificar e-mail',
    lead: (address) => [
      'Marca ',
      address,
      ' como verificado, sem enviar e-mail. Faça isso só se souber que o usuário lê os e-mails deste endereço.',
    ],
    submit: 'Verificar endereço',
  },
  changeUsername: {
    add: 'Adicionar nome de usuário',
    change: 'Alterar nome de usuário',
    submit: 'Salvar nome de usuário',
  },
  changeRoles: {
    title: 'Alterar funções',
    lead: (name) => ['As funções de ', name, ' no aplicativo.'],
    own: 'Esta é a sua própria conta. Sem a sua função, você pode perder o acesso a estas páginas.',
    submit: 'Salvar funções',
  },
  password: {
    replace: 'Substituir senha',
    set: 'Definir senha',
    lead: (name) => ['Desconecta ', name, ' de todos os lugares e cancela códigos e links pendentes.'],
    new: 'Nova senha',
  },
  removals: {
    gone: 'Isto não existe mais: já terminou ou pertence a outro usuário.',
    user: 'Usuário',
    session: {
      title: 'Desconectar dispositivo',
      term: 'Sessão',
      effect: 'O dispositivo será desconectado na próxima solicitação.',
    },
    token: {
      title: 'Revogar token de app',
      term: 'App',
      effect: 'O app será desconectado na próxima solicitação.',
    },
    account: {
      title: 'Desvincular conta',
      term: 'Conta',
      effect: 'O usuário não poderá mais entrar com ela.',
    },
    passkey: {
      title: 'Remover chave de acesso',
      term: 'Chave de acesso',
      effect: 'O usuário não poderá mais entrar com ela.',
    },
    app: {
      title: 'Remover app autenticador',
      term: 'Segundo fator',
      effect:
        'O usuário entra sem segundo fator e é desconectado de todos os lugares. Os códigos de recuperação também são removidos.',
    },
    organization: {
      title: 'Remover da organização',
      term: 'Organização',
      effect: 'O usuário perde o acesso à organização. Ele pode ser convidado de novo.',
    },
    key: {
      title: 'Revogar chave de API',
      term: 'Chave de API',
      effect: 'Programas que usam esta chave são recusados imediatamente. Esta ação não pode ser desfeita.',
    },
  },
};
