/** Portuguese of Brazil: refused requests and changes. */
import { pluralForms } from '../plural.js';
import type { AdminTexts } from '../texts.js';

const plural = pluralForms('pt');

export const errors: AdminTexts['errors'] = {
  toUsers: 'Voltar aos usuários',
  toUser: 'Voltar ao usuário',
  signIn: 'Entrar',
  signInAgain: 'Entrar novamente',
  signOut: 'Sair',
  signedInAs: (who) => ['Você entrou como ', who, '.'],
  pages: {
    failed: {
      title: 'Algo deu errado',
      text: 'Não foi possível mostrar a página. Tente de novo em instantes.',
    },
    notFound: {
      title: 'Página não encontrada',
      text: 'Não há nenhuma página neste endereço.',
    },
    formExpired: {
      title: 'Este formulário expirou',
      text: 'Você entrou de novo depois que este formulário foi aberto. Nada foi alterado. Abra-o novamente.',
    },
    noAccess: {
      title: 'Sem acesso',
      text: 'Sua conta não tem permissão para isso.',
    },
    signIn: {
      title: 'Entrar',
      text: 'Entre como administrador e abra esta página novamente.',
    },
    confirm: {
      title: 'Confirme que é você',
      text: 'Para sua segurança, entre novamente para fazer alterações.',
    },
    userNotFound: {
      title: 'Usuário não encontrado',
      text: 'Não há nenhum usuário com este ID. Talvez ele tenha sido excluído.',
    },
    invalid: {
      title: 'Solicitação inválida',
      text: 'O endereço desta página ou o formulário é inválido.',
    },
    notConfigured: {
      title: 'Não disponível',
      text: 'O aplicativo não está configurado para isso.',
    },
    license: {
      title: 'Não disponível',
      text: 'Este recurso exige uma licença.',
    },
    storage: {
      title: 'Não disponível',
      text: 'O adaptador de armazenamento não oferece este recurso.',
    },
  },
  emailExists: 'Outro usuário tem este endereço.',
  weakPassword: 'Esta senha é curta demais, comum demais ou contém o endereço. Escolha outra.',
  email: 'Digite um endereço de e-mail, como ada@example.com.',
  emailMissing: 'Digite um endereço de e-mail. Esta alteração exige um.',
  name: 'Digite um nome de até 100 caracteres em uma única linha.',
  nameAddress: 'O nome não pode conter um endereço de e-mail nem um link.',
  nameReserved: 'Este nome é reservado. Escolha outro.',
  pictureSource: 'Imagens deste endereço não são permitidas.',
  usernameTaken: 'Outro usuário tem este nome de usuário.',
  usernameInvalid:
    'Use de 1 a 32 letras e números de um só sistema de escrita, com pontos, hifens ou sublinhados avulsos entre eles.',
  usernameReserved: 'Este nome de usuário é reservado. Escolha outro.',
  guest: 'Um convidado recebe um endereço ao criar uma conta.',
  outdated:
    'O usuário mudou depois que esta página foi aberta. Compare sua alteração com os valores atuais e salve de novo.',
  lastMethod: 'O usuário não conseguiria mais entrar sem isso.',
  metadata: 'Os metadados devem ser um objeto JSON de até 8 KB e 8 níveis, sem chaves reservadas.',
  metadataObject: (example) => `Os metadados devem ser um objeto JSON, por exemplo ${example}.`,
  metadataSyntax: (line, column) => `Este JSON não é válido. Verifique a linha ${line}, coluna ${column}.`,
  roles:
    'Digite até 20 funções de 1 a 64 letras minúsculas, números ou . _ : - com uma letra ou um número nas duas pontas.',
  role: 'Digite uma função como ela é atribuída aos usuários, por exemplo support.',
  filters: 'Estas condições são inválidas. Limpe os filtros.',
  userId: 'Digite o ID de um usuário.',
  redirect:
    'Digite de um a vinte endereços, um por linha: todos com https, ou todos de um app, com o próprio esquema ou com http para este computador.',
  uri: 'Digite um endereço, como https://partner.example/.',
  secretUnused: 'O cliente não usa segredo: registre um confidencial.',
  secretLimit: 'O cliente tem dois segredos. Remova um deles primeiro.',
  secretLast: 'Este é o único segredo do cliente. Adicione outro primeiro.',
  until: 'Digite um horário no futuro.',
  untilMissing: 'Digite a data e a hora.',
  untilUnused: 'Escolha “Até uma data” ou limpe o fim do bloqueio.',
  duration: 'Escolha uma duração.',
  reason: 'O motivo deve ter até 500 caracteres.',
  passwordMissing: 'Digite uma senha.',
  phrase: 'O texto não corresponde.',
  incomplete: 'O formulário está incompleto. Abra-o novamente.',
  lastOwner:
    'O último proprietário de uma organização não pode sair dela. Torne outro membro proprietário primeiro.',
  blocked: 'Este usuário está bloqueado.',
  notAllowed: 'O aplicativo não permite isso para este usuário.',
  sendFailed: 'Não foi possível enviar o e-mail. Tente de novo em instantes.',
  notConfigured: 'O aplicativo não está configurado para isso.',
  invalid: 'A alteração foi recusada. Verifique o formulário e tente de novo.',
  tooMany: (inMinutes) =>
    plural(inMinutes, {
      one: 'Muitas tentativas. Tente de novo em um minuto.',
      other: `Muitas tentativas. Tente de novo em ${inMinutes} minutos.`,
    }),
};
