/** Portuguese: what has happened in the meantime. */
import type { Texts } from '../texts.js';

export const notices: Texts['notices'] = {
  sessionEnded: 'Sua sessão terminou. Faça login para continuar.',
  signedOut: 'Você saiu da sua conta.',
  signedInAgain: 'Você entrou novamente. Nada foi salvo ainda.',
  otherAccount: (name) => `Agora você está na conta ${name}. Nada foi alterado.`,
  otherAccountUnnamed: 'Agora você está em outra conta. Nada foi alterado.',
  linkExpired: 'Este link expirou. Peça um novo.',
  reclaimed: {
    title: 'E-mail confirmado',
    lead: 'Esta conta foi criada sem que seu e-mail fosse confirmado, talvez por outra pessoa. A senha e as outras formas de entrar foram removidas.',
  },
  invitedOnly: 'Cadastro somente por convite',
  invitedOnlyLead: 'Para criar uma conta, abra o link do seu convite.',
  blocked: 'Não é possível entrar',
  support: 'Falar com o suporte',
  home: (product) => `Voltar para ${product}`,
  offline: 'Você está sem conexão. Verifique a internet e tente novamente.',
  unreachable: 'Não foi possível acessar o servidor. Tente novamente em instantes.',
  slow: 'Está demorando mais que o normal.',
  impersonating: (product, user) => [`Você está vendo ${product} como `, user, '.'],
  impersonatingUnnamed: (product) => `Você está vendo ${product} como outro usuário.`,
  stopImpersonating: 'Encerrar',
  confirmLink: (email) => ['Você vai entrar como ', email, '.'],
  confirmLinkIgnore: 'Se você não fez esta solicitação, feche esta página.',
  confirmLinkOther: 'Entrar de outra forma',
};
