/** Portuguese of Portugal: refused requests and changes. */
import { pluralForms } from '../plural.js';
import type { AdminTexts } from '../texts.js';

const plural = pluralForms('pt-PT');

export const errors: AdminTexts['errors'] = {
  toUsers: 'Voltar aos utilizadores',
  toUser: 'Voltar ao utilizador',
  signIn: 'Iniciar sessão',
  signInAgain: 'Iniciar sessão novamente',
  signOut: 'Terminar sessão',
  signedInAs: (who) => ['Tem sessão iniciada como ', who, '.'],
  pages: {
    failed: {
      title: 'Ocorreu um erro',
      text: 'Não foi possível mostrar a página. Tente novamente dentro de momentos.',
    },
    notFound: {
      title: 'Página não encontrada',
      text: 'Não existe nenhuma página neste endereço.',
    },
    formExpired: {
      title: 'Este formulário expirou',
      text: 'Iniciou sessão novamente depois de este formulário ter sido aberto. Nada foi alterado. Abra-o novamente.',
    },
    noAccess: {
      title: 'Sem acesso',
      text: 'A sua conta não tem permissão para isto.',
    },
    signIn: {
      title: 'Iniciar sessão',
      text: 'Inicie sessão como administrador e abra esta página novamente.',
    },
    confirm: {
      title: 'Confirme a sua identidade',
      text: 'Para sua segurança, inicie sessão novamente para fazer alterações.',
    },
    userNotFound: {
      title: 'Utilizador não encontrado',
      text: 'Não existe nenhum utilizador com este ID. O utilizador pode ter sido eliminado.',
    },
    invalid: {
      title: 'Pedido inválido',
      text: 'O endereço desta página ou o formulário não é válido.',
    },
    notConfigured: {
      title: 'Não disponível',
      text: 'A aplicação não está configurada para isto.',
    },
    license: {
      title: 'Não disponível',
      text: 'Esta funcionalidade requer uma licença.',
    },
    storage: {
      title: 'Não disponível',
      text: 'O adaptador de armazenamento não suporta esta funcionalidade.',
    },
  },
  emailExists: 'Outro utilizador tem este endereço.',
  weakPassword: 'Esta palavra-passe é demasiado curta, demasiado comum ou contém o endereço. Escolha outra.',
  email: 'Introduza um endereço de e-mail, por exemplo, ada@example.com.',
  emailMissing: 'Introduza um endereço de e-mail. Esta alteração requer um.',
  name: 'Introduza um nome com um máximo de 100 carateres numa única linha.',
  nameAddress: 'Um nome não pode conter um endereço de e-mail nem uma ligação.',
  nameReserved: 'Este nome está reservado. Escolha outro.',
  pictureSource: 'Não são permitidas imagens deste endereço.',
  usernameTaken: 'Outro utilizador tem este nome de utilizador.',
  usernameInvalid:
    'Utilize de 1 a 32 letras e algarismos de um só sistema de escrita, com pontos, hífenes ou sublinhados isolados entre eles.',
  usernameReserved: 'Este nome de utilizador está reservado. Escolha outro.',
  guest: 'Um convidado obtém um endereço ao criar uma conta.',
  outdated:
    'O utilizador mudou depois de esta página ter sido aberta. Compare a sua alteração com os valores atuais e guarde novamente.',
  lastMethod: 'Sem isto, o utilizador deixaria de poder iniciar sessão.',
  metadata: 'Os metadados têm de ser um objeto JSON com um máximo de 8 KB e 8 níveis, sem chaves reservadas.',
  metadataObject: (example) => `Os metadados têm de ser um objeto JSON, por exemplo, ${example}.`,
  metadataSyntax: (line, column) => `Este JSON não é válido. Verifique a linha ${line}, coluna ${column}.`,
  roles:
    'Introduza até 20 funções de 1 a 64 letras minúsculas, algarismos ou . _ : - com uma letra ou um algarismo em ambas as extremidades.',
  role: 'Introduza uma função tal como é atribuída aos utilizadores, por exemplo, support.',
  filters: 'Estas condições não são válidas. Limpe os filtros.',
  userId: 'Introduza o ID de um utilizador.',
  redirect:
    'Introduza de um a vinte endereços, um por linha: todos com https, ou todos de uma aplicação, com o seu próprio esquema ou com http para este computador.',
  uri: 'Introduza um endereço, por exemplo, https://partner.example/.',
  secretUnused: 'O cliente não utiliza segredo: registe um cliente confidencial.',
  secretLimit: 'O cliente tem dois segredos. Remova primeiro um deles.',
  secretLast: 'Este é o único segredo do cliente. Adicione primeiro outro.',
  until: 'Introduza uma data e hora futuras.',
  untilMissing: 'Introduza a data e a hora.',
  untilUnused: 'Escolha “Até uma data” ou limpe o fim do bloqueio.',
  duration: 'Escolha uma duração.',
  reason: 'O motivo pode ter um máximo de 500 carateres.',
  passwordMissing: 'Introduza uma palavra-passe.',
  phrase: 'O texto não corresponde.',
  incomplete: 'O formulário está incompleto. Abra-o novamente.',
  lastOwner:
    'O último proprietário de uma organização não pode sair dela. Torne primeiro outro membro proprietário.',
  blocked: 'Este utilizador está bloqueado.',
  notAllowed: 'A aplicação não permite isto para este utilizador.',
  sendFailed: 'Não foi possível enviar o e-mail. Tente novamente dentro de momentos.',
  notConfigured: 'A aplicação não está configurada para isto.',
  invalid: 'A alteração foi recusada. Verifique o formulário e tente novamente.',
  tooMany: (inMinutes) =>
    plural(inMinutes, {
      one: 'Demasiadas tentativas. Tente novamente dentro de um minuto.',
      other: `Demasiadas tentativas. Tente novamente dentro de ${inMinutes} minutos.`,
    }),
};
