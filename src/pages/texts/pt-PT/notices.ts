/** Portuguese, as in Portugal: what has happened in the meantime. */
import type { Texts } from '../texts.js';

export const notices: Texts['notices'] = {
  sessionEnded: 'A sua sessão terminou. Inicie sessão para continuar.',
  signedOut: 'A sua sessão foi terminada.',
  signedInAgain: 'Iniciou sessão novamente. Ainda não foi guardado nada.',
  otherAccount: (name) => `Tem agora sessão iniciada como ${name}. Não foi alterado nada.`,
  otherAccountUnnamed: 'Tem agora sessão iniciada noutra conta. Não foi alterado nada.',
  linkExpired: 'Este link expirou. Peça um novo.',
  reclaimed: {
    title: 'Endereço de e-mail confirmado',
    lead: 'Esta conta foi criada sem que o seu endereço fosse confirmado, talvez por outra pessoa. A palavra-passe e as outras formas de iniciar sessão foram removidas.',
  },
  invitedOnly: 'Registo apenas por convite',
  invitedOnlyLead: 'Para criar uma conta, abra o link do seu convite.',
  blocked: 'Não é possível iniciar sessão',
  support: 'Contactar o apoio técnico',
  home: (product) => `Voltar para ${product}`,
  offline: 'Está offline. Verifique a ligação à internet e tente novamente.',
  unreachable: 'Não é possível aceder ao servidor. Tente novamente dentro de momentos.',
  slow: 'Está a demorar mais do que o habitual.',
  impersonating: (product, user) => [`Está a ver ${product} como `, user, '.'],
  impersonatingUnnamed: (product) => `Está a ver ${product} como outro utilizador.`,
  stopImpersonating: 'Parar',
  confirmLink: (email) => ['Vai iniciar sessão como ', email, '.'],
  confirmLinkIgnore: 'Se não fez este pedido, feche esta página.',
  confirmLinkOther: 'Iniciar sessão de outra forma',
};
