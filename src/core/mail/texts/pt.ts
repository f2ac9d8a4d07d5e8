/** Portuguese, as in Brazil: the sentences of mails and text messages. */
import type { MailTexts } from './en.js';

export const pt: MailTexts = {
  direction: 'ltr',
  betweenSentences: ' ',
  expires: (inTime) => `Expira ${inTime}.`,
  bothExpire: (inTime) => `Ambos expiram ${inTime}.`,
  linkAndCodeExpire: (link, code) => `O link expira ${link} e o código, ${code}.`,
  oneIsEnough: 'Você só precisa de um deles.',
  ignore: 'Se você não fez esta solicitação, pode ignorar este e-mail.',
  keepSecret: 'Não compartilhe este código com ninguém.',
  notYouContactSupport: 'Se não foi você, entre em contato com o suporte.',
  notYouIgnore: 'Se não foi você, pode ignorar este e-mail.',
  buttonFails: 'Se o botão não funcionar, abra este link:',
  help: 'Precisa de ajuda?',
  because: {
    signIn: ({ app }) =>
      `Você recebeu este e-mail porque alguém pediu para entrar em ${app} com este endereço.`,
    address: ({ app }) => `Você recebeu este e-mail porque alguém informou este endereço em ${app}.`,
    account: ({ app }) => `Você recebeu este e-mail porque tem uma conta em ${app}.`,
    reset: ({ app }) =>
      `Você recebeu este e-mail porque alguém pediu uma nova senha para a sua conta ${app}.`,
    invite: ({ app }) => `Você recebeu este e-mail porque alguém convidou você para ${app}.`,
  },
  event: {
    time: 'Data e hora:',
    device: 'Dispositivo:',
    place: 'Local:',
    on: (client, system) => `${client} no ${system}`,
  },
  signInCode: {
    subject: ({ app, code }) => `${code} é seu código de login para ${app}`,
    lead: ({ app }) => `Digite este código para entrar na sua conta ${app}:`,
  },
  verification: {
    subject: ({ app, code }) => `${code} é seu código de verificação para ${app}`,
    lead: ({ app }) => `Digite este código em ${app} para verificar seu endereço de e-mail:`,
  },
  existingAccount: {
    subject: ({ app }) => `Você já tem uma conta ${app}`,
    lead: ({ app }) =>
      `Alguém se cadastrou no serviço ${app} com este endereço de e-mail, que já tem uma conta. Se foi você, digite este código para entrar nela. Sua senha não mudou.`,
    ignore: 'Se não foi você, ignore este e-mail e não compartilhe este código com ninguém.',
  },
  secondFactor: {
    subject: ({ app, code }) => `${code} é seu código de verificação em duas etapas para ${app}`,
    lead: ({ app }) => `Digite este código para concluir o login na sua conta ${app}:`,
    ignore:
      'Se não foi você, não compartilhe este código com ninguém. Outra pessoa passou pela primeira etapa do login na sua conta. Altere sua senha.',
  },
  recoveryCodesLow: {
    subject: ({ app }) => `Restam dois códigos de recuperação para sua conta ${app}`,
    lead: ({ app }) =>
      `Um código de recuperação foi usado para entrar na sua conta ${app}. Restam dois. Crie novos códigos na sua conta antes de precisar deles.`,
    ignore: 'Se não foi você, saia de todos os dispositivos e crie novos códigos de recuperação.',
  },
  newAddress: {
    subject: ({ app, code }) => `${code} é o código do seu novo endereço de e-mail em ${app}`,
    lead: ({ app }) => `Digite este código em ${app} para usar este endereço de e-mail na sua conta:`,
  },
  leavingAddress: {
    subject: ({ app }) => `Confirme o novo endereço de e-mail da sua conta ${app}`,
    lead: ({ app }) =>
      `Digite este código em ${app} para substituir este endereço de e-mail pelo novo na sua conta:`,
    ignore:
      'Se não foi você, não compartilhe este código com ninguém. Outra pessoa entrou na sua conta. Saia de todos os dispositivos.',
  },
  addressInUse: {
    subject: ({ app }) => `Você já tem uma conta ${app}`,
    lead: ({ app }) =>
      `Alguém tentou usar este endereço de e-mail em outra conta ${app}. O endereço já tem uma conta, por isso nada foi alterado. Entre com este endereço ou escolha um diferente para a outra conta.`,
  },
  addressChanged: {
    subject: ({ app }) => `O endereço de e-mail da sua conta ${app} foi alterado`,
    lead: ({ app }) =>
      `O endereço de e-mail da sua conta ${app} foi alterado. Não é mais possível entrar com este endereço, e seus outros dispositivos foram desconectados.`,
  },
  passwordChanged: {
    subject: ({ app }) => `A senha da sua conta ${app} foi alterada`,
    lead: ({ app }) =>
      `A senha da sua conta ${app} foi alterada, e seus outros dispositivos foram desconectados.`,
  },
  phoneAdded: {
    subject: ({ app }) => `Um número de telefone foi adicionado à sua conta ${app}`,
    lead: ({ app, phone }) =>
      `O número de telefone ${phone} foi adicionado à sua conta ${app}. Você pode entrar com ele.`,
  },
  phoneRemoved: {
    subject: ({ app }) => `Um número de telefone foi removido da sua conta ${app}`,
    lead: ({ app, phone }) =>
      `O número de telefone ${phone} foi removido da sua conta ${app}. Não é mais possível entrar com ele.`,
  },
  changes: {
    endOfSentence: '.',
    passwordAdded: ({ app }) => `Uma senha foi adicionada à sua conta ${app}`,
    passwordReset: ({ app }) => `A senha da sua conta ${app} foi redefinida`,
    passwordSet: ({ app }) => `Um administrador alterou a senha da sua conta ${app}`,
    passkeyAdded: ({ app }) => `Uma chave de acesso foi adicionada à sua conta ${app}`,
    passkeyRemoved: ({ app }) => `Uma chave de acesso foi removida da sua conta ${app}`,
    twoFactorEnabled: ({ app }) => `A verificação em duas etapas foi ativada na sua conta ${app}`,
    twoFactorDisabled: ({ app }) => `A verificação em duas etapas foi desativada na sua conta ${app}`,
    appAdded: ({ app }) => `Um aplicativo autenticador foi adicionado à sua conta ${app}`,
    appRemoved: ({ app }) => `Um aplicativo autenticador foi removido da sua conta ${app}`,
    recoveryCodesReplaced: ({ app }) => `Novos códigos de recuperação foram criados para a sua conta ${app}`,
    emailCodesEnabled: ({ app }) =>
      `Os códigos por e-mail foram ativados como segunda etapa da sua conta ${app}`,
    emailCodesDisabled: ({ app }) =>
      `Os códigos por e-mail foram desativados como segunda etapa da sua conta ${app}`,
    identityLinked: ({ app, about }) => `${about} foi vinculado à sua conta ${app}`,
    identityUnlinked: ({ app, about }) => `${about} foi removido da sua conta ${app}`,
    usernameChanged: ({ app }) => `O nome de usuário da sua conta ${app} foi alterado`,
    addressChanged: ({ app }) => `Sua conta ${app} agora usa este endereço de e-mail`,
    apiKeyCreated: ({ app }) => `Uma chave de API foi criada para a sua conta ${app}`,
    browserTrusted: ({ app }) => `Um navegador confiável foi adicionado à sua conta ${app}`,
    newSignIn: ({ app }) => `Novo acesso à sua conta ${app}`,
    newSignInLead: ({ app }) => `Sua conta ${app} foi usada em um novo dispositivo.`,
  },
  notMe: {
    advice:
      'Se não foi você, saia de todos os dispositivos com este link. Ele funciona uma vez, por sete dias.',
    button: 'Não fui eu',
    title: ({ app }) => `Proteja sua conta ${app}`,
    lead: (email) => `Isso encerra a sessão de todos os dispositivos conectados como ${email}.`,
    submit: 'Sair de todos os dispositivos',
    ignore: 'Se você reconhece a atividade, feche esta página.',
    doneTitle: 'Todos os dispositivos foram desconectados',
    doneReset: (email) => `Enviamos um e-mail para ${email}. Abra-o para escolher uma nova senha.`,
    doneSignIn: 'Entre novamente e remova da sua conta tudo o que você não reconhece.',
    doneAddressChanged:
      'Este endereço de e-mail não pertence mais à conta. Entre em contato com o suporte para recuperá-la.',
    endedTitle: 'Este link não funciona mais',
    ended: 'Ele expirou ou já foi usado. Se precisar de ajuda, entre em contato com o suporte.',
  },
  magicLink: {
    subject: ({ app }) => `Entre na sua conta ${app}`,
    lead: ({ app }) => `Abra este link para entrar na sua conta ${app}. Ele só funciona uma vez.`,
    leadWithCode: ({ app }) => `Abra este link para entrar na sua conta ${app}:`,
    orCode: 'Ou digite este código onde você pediu para entrar:',
    button: 'Entrar',
  },
  linkConfirmation: {
    title: ({ app }) => `Entre na sua conta ${app}`,
    lead: (email) => `Você vai entrar como ${email}.`,
    submit: 'Entrar',
    ignore: 'Se você não fez esta solicitação, feche esta página.',
  },
  passwordReset: {
    subject: ({ app }) => `Escolha uma nova senha para ${app}`,
    lead: ({ app }) => `Abra este link para escolher uma nova senha para ${app}. Ele só funciona uma vez.`,
    leadWithCode: ({ app }) => `Digite este código em ${app} para escolher uma nova senha:`,
    leadWithBoth: ({ app }) =>
      `Abra este link para escolher uma nova senha para ${app} ou digite em ${app} o código que aparece abaixo dele. O link e o código só funcionam uma vez.`,
    button: 'Escolher nova senha',
  },
  userInvite: {
    subject: ({ app }) => `Você recebeu um convite para ${app}`,
    lead: ({ app }) =>
      `Você recebeu um convite para ${app}. Abra este link para configurar sua conta. Ele só funciona uma vez.`,
    button: 'Aceitar convite',
    ignore: 'Se você não quer uma conta, pode ignorar este e-mail.',
  },
  signUpRefused: {
    subject: ({ app }) => `Não é possível criar uma conta ${app} com este endereço de e-mail`,
    lead: ({ app }) =>
      `Alguém tentou entrar em uma conta ${app} com este endereço de e-mail. O endereço não tem conta, e não é possível criar uma com ele. Se você tem uma conta, entre com o endereço de e-mail dela.`,
  },
  orgInvite: {
    subject: ({ app }) => `Você recebeu um convite para uma organização em ${app}`,
    lead: ({ app }) =>
      `Abra este link para participar de uma organização em ${app}. Ele só funciona uma vez.`,
    button: 'Aceitar convite',
    ignore: 'Se você não quer participar, pode ignorar este e-mail.',
  },
  textMessage: {
    code: ({ app, code }) => `${code} é seu código para ${app}.`,
  },
};
