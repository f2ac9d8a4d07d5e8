/** Portuguese, as in Portugal: the sentences of mails and text messages. */
import type { MailTexts } from './en.js';

export const ptPT: MailTexts = {
  direction: 'ltr',
  betweenSentences: ' ',
  expires: (inTime) => `Expira ${inTime}.`,
  bothExpire: (inTime) => `Ambos expiram ${inTime}.`,
  linkAndCodeExpire: (link, code) => `O link expira ${link} e o código ${code}.`,
  oneIsEnough: 'Só precisa de um deles.',
  ignore: 'Se não fez este pedido, pode ignorar este e-mail.',
  keepSecret: 'Não partilhe este código com ninguém.',
  notYouContactSupport: 'Se não reconhece esta ação, contacte o apoio técnico.',
  notYouIgnore: 'Se não reconhece esta ação, pode ignorar este e-mail.',
  buttonFails: 'Se o botão não funcionar, abra este link:',
  help: 'Precisa de ajuda?',
  because: {
    signIn: ({ app }) =>
      `Recebeu este e-mail porque alguém pediu para iniciar sessão numa conta ${app} com este endereço.`,
    address: ({ app }) => `Recebeu este e-mail porque alguém introduziu este endereço em ${app}.`,
    account: ({ app }) => `Recebeu este e-mail porque tem uma conta ${app}.`,
    reset: ({ app }) =>
      `Recebeu este e-mail porque alguém pediu uma nova palavra-passe para a sua conta ${app}.`,
    invite: ({ app }) => `Recebeu este e-mail porque alguém lhe enviou um convite para ${app}.`,
  },
  event: {
    time: 'Data e hora:',
    device: 'Dispositivo:',
    place: 'Localização:',
    on: (client, system) => `${client} no ${system}`,
  },
  signInCode: {
    subject: ({ app, code }) => `${code} é o seu código de início de sessão para ${app}`,
    lead: ({ app }) => `Introduza este código para iniciar sessão na sua conta ${app}:`,
  },
  verification: {
    subject: ({ app, code }) => `${code} é o seu código de verificação para ${app}`,
    lead: ({ app }) => `Introduza este código em ${app} para verificar o seu endereço de e-mail:`,
  },
  existingAccount: {
    subject: ({ app }) => `Já tem uma conta ${app}`,
    lead: ({ app }) =>
      `Alguém tentou criar uma conta ${app} com este endereço de e-mail, que já tem uma conta. Se fez este pedido, introduza este código para iniciar sessão nessa conta. A sua palavra-passe não foi alterada.`,
    ignore: 'Se não fez este pedido, ignore este e-mail e não partilhe este código com ninguém.',
  },
  secondFactor: {
    subject: ({ app, code }) => `${code} é o seu código de verificação em dois passos para ${app}`,
    lead: ({ app }) => `Introduza este código para concluir o início de sessão na sua conta ${app}:`,
    ignore:
      'Se não está a iniciar sessão, não partilhe este código com ninguém. Alguém pode saber a sua palavra-passe: altere-a.',
  },
  recoveryCodesLow: {
    subject: ({ app }) => `Restam dois códigos de recuperação para a sua conta ${app}`,
    lead: ({ app }) =>
      `Foi utilizado um código de recuperação para iniciar sessão na sua conta ${app}. Restam dois. Crie novos códigos na sua conta antes de precisar deles.`,
    ignore:
      'Se não reconhece esta ação, termine sessão em todos os dispositivos e crie novos códigos de recuperação.',
  },
  newAddress: {
    subject: ({ app, code }) => `${code} é o código do seu novo endereço de e-mail em ${app}`,
    lead: ({ app }) => `Introduza este código em ${app} para utilizar este endereço de e-mail na sua conta:`,
  },
  leavingAddress: {
    subject: ({ app }) => `Confirme a alteração do endereço de e-mail da sua conta ${app}`,
    lead: ({ app }) =>
      `Introduza este código em ${app} para substituir este endereço de e-mail pelo novo na sua conta:`,
    ignore:
      'Se não fez este pedido, não partilhe este código com ninguém. Outra pessoa tem sessão iniciada na sua conta: termine sessão em todos os dispositivos.',
  },
  addressInUse: {
    subject: ({ app }) => `Já tem uma conta ${app}`,
    lead: ({ app }) =>
      `Alguém tentou utilizar este endereço de e-mail noutra conta ${app}. O endereço já tem uma conta, pelo que não foi alterado nada. Inicie sessão com este endereço ou escolha um diferente para a outra conta.`,
  },
  addressChanged: {
    subject: ({ app }) => `O endereço de e-mail da sua conta ${app} foi alterado`,
    lead: ({ app }) =>
      `O endereço de e-mail da sua conta ${app} foi alterado. Já não pode iniciar sessão com este endereço e a sessão nos seus outros dispositivos foi terminada.`,
  },
  passwordChanged: {
    subject: ({ app }) => `A palavra-passe da sua conta ${app} foi alterada`,
    lead: ({ app }) =>
      `A palavra-passe da sua conta ${app} foi alterada e a sessão nos seus outros dispositivos foi terminada.`,
  },
  phoneAdded: {
    subject: ({ app }) => `Foi adicionado um número de telemóvel à sua conta ${app}`,
    lead: ({ app, phone }) =>
      `O número de telemóvel ${phone} foi adicionado à sua conta ${app}. Pode iniciar sessão com este número.`,
  },
  phoneRemoved: {
    subject: ({ app }) => `Foi removido um número de telemóvel da sua conta ${app}`,
    lead: ({ app, phone }) =>
      `O número de telemóvel ${phone} foi removido da sua conta ${app}. Já não pode iniciar sessão com este número.`,
  },
  changes: {
    endOfSentence: '.',
    passwordAdded: ({ app }) => `Foi adicionada uma palavra-passe à sua conta ${app}`,
    passwordReset: ({ app }) => `A palavra-passe da sua conta ${app} foi reposta`,
    passwordSet: ({ app }) => `Um administrador alterou a palavra-passe da sua conta ${app}`,
    passkeyAdded: ({ app }) => `Foi adicionada uma chave de acesso à sua conta ${app}`,
    passkeyRemoved: ({ app }) => `Foi removida uma chave de acesso da sua conta ${app}`,
    twoFactorEnabled: ({ app }) => `A verificação em dois passos foi ativada na sua conta ${app}`,
    twoFactorDisabled: ({ app }) => `A verificação em dois passos foi desativada na sua conta ${app}`,
    appAdded: ({ app }) => `Foi adicionada uma aplicação de autenticação à sua conta ${app}`,
    appRemoved: ({ app }) => `Foi removida uma aplicação de autenticação da sua conta ${app}`,
    recoveryCodesReplaced: ({ app }) => `Foram criados novos códigos de recuperação para a sua conta ${app}`,
    emailCodesEnabled: ({ app }) =>
      `Os códigos por e-mail foram ativados como segundo passo da sua conta ${app}`,
    emailCodesDisabled: ({ app }) =>
      `Os códigos por e-mail foram desativados como segundo passo da sua conta ${app}`,
    identityLinked: ({ app, about }) => `${about} foi associado à sua conta ${app}`,
    identityUnlinked: ({ app, about }) => `${about} foi removido da sua conta ${app}`,
    usernameChanged: ({ app }) => `O nome de utilizador da sua conta ${app} foi alterado`,
    addressChanged: ({ app }) => `A sua conta ${app} usa agora este endereço de e-mail`,
    apiKeyCreated: ({ app }) => `Foi criada uma chave de API para a sua conta ${app}`,
    browserTrusted: ({ app }) => `Foi adicionado um navegador de confiança à sua conta ${app}`,
    newSignIn: ({ app }) => `Novo início de sessão na sua conta ${app}`,
    newSignInLead: ({ app }) => `A sua conta ${app} foi usada num novo dispositivo.`,
  },
  notMe: {
    advice:
      'Se não reconhece esta ação, termine a sessão em todos os dispositivos com este link. Funciona uma vez, durante sete dias.',
    button: 'Não fui eu',
    title: ({ app }) => `Proteja a sua conta ${app}`,
    lead: (email) => `Isto termina a sessão em todos os dispositivos ligados como ${email}.`,
    submit: 'Terminar sessão em todos os dispositivos',
    ignore: 'Se reconhece a atividade, feche esta página.',
    doneTitle: 'A sessão foi terminada em todos os dispositivos',
    doneReset: (email) => `Enviámos um e-mail para ${email}. Abra-o para escolher uma nova palavra-passe.`,
    doneSignIn: 'Inicie sessão novamente e remova da sua conta tudo o que não reconhece.',
    doneAddressChanged:
      'Este endereço de e-mail já não pertence à conta. Contacte o apoio técnico para a recuperar.',
    endedTitle: 'Este link já não funciona',
    ended: 'Expirou ou já foi usado. Se precisar de ajuda, contacte o apoio técnico.',
  },
  magicLink: {
    subject: ({ app }) => `Inicie sessão na sua conta ${app}`,
    lead: ({ app }) => `Abra este link para iniciar sessão na sua conta ${app}. Só funciona uma vez.`,
    leadWithCode: ({ app }) => `Abra este link para iniciar sessão na sua conta ${app}:`,
    orCode: 'Ou introduza este código na página de início de sessão:',
    button: 'Iniciar sessão',
  },
  linkConfirmation: {
    title: ({ app }) => `Inicie sessão na sua conta ${app}`,
    lead: (email) => `Vai iniciar sessão como ${email}.`,
    submit: 'Iniciar sessão',
    ignore: 'Se não fez este pedido, feche esta página.',
  },
  passwordReset: {
    subject: ({ app }) => `Escolha uma nova palavra-passe para ${app}`,
    lead: ({ app }) =>
      `Abra este link para escolher uma nova palavra-passe para ${app}. Só funciona uma vez.`,
    leadWithCode: ({ app }) => `Introduza este código em ${app} para escolher uma nova palavra-passe:`,
    leadWithBoth: ({ app }) =>
      `Utilize este link ou o código abaixo para escolher uma nova palavra-passe para ${app}.`,
    button: 'Escolher nova palavra-passe',
  },
  userInvite: {
    subject: ({ app }) => `Recebeu um convite para ${app}`,
    lead: ({ app }) =>
      `Recebeu um convite para ${app}. Abra este link para configurar a sua conta. Só funciona uma vez.`,
    button: 'Aceitar convite',
    ignore: 'Se não pretende ter uma conta, pode ignorar este e-mail.',
  },
  signUpRefused: {
    subject: ({ app }) => `Não é possível criar uma conta ${app} com este endereço de e-mail`,
    lead: ({ app }) =>
      `Alguém tentou iniciar sessão numa conta ${app} com este endereço de e-mail. O endereço não tem conta e não é possível criar uma com ele. Se tiver uma conta, inicie sessão com o endereço de e-mail dessa conta.`,
  },
  orgInvite: {
    subject: ({ app }) => `Recebeu um convite para uma organização em ${app}`,
    lead: ({ app }) => `Abra este link para aderir a uma organização em ${app}. Só funciona uma vez.`,
    button: 'Aceitar convite',
    ignore: 'Se não pretende aderir, pode ignorar este e-mail.',
  },
  textMessage: {
    code: ({ app, code }) => `${code} é o seu código para ${app}.`,
  },
};
