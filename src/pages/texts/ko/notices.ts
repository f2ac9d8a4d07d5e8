/** Korean: what has happened in the meantime. */
import type { Texts } from '../texts.js';

export const notices: Texts['notices'] = {
  sessionEnded: '세션이 종료되었습니다. 계속하려면 로그인하세요.',
  signedOut: '로그아웃되었습니다.',
  signedInAgain: '다시 로그인되었습니다. 아직 저장된 내용은 없습니다.',
  otherAccount: (name) => `이제 ${name} 계정으로 로그인되어 있습니다. 변경된 내용은 없습니다.`,
  otherAccountUnnamed: '이제 다른 계정으로 로그인되어 있습니다. 변경된 내용은 없습니다.',
  linkExpired: '만료된 링크입니다. 새 링크를 요청하세요.',
  reclaimed: {
    title: '이메일 주소가 확인되었습니다',
    lead: '이 계정은 이메일 주소 확인 없이 만들어졌으므로 다른 사람이 설정했을 수 있습니다. 따라서 비밀번호와 다른 로그인 방법을 삭제했습니다.',
  },
  invitedOnly: '초대를 받아야 가입할 수 있습니다',
  invitedOnlyLead: '계정을 만들려면 초대 이메일의 링크를 여세요.',
  blocked: '로그인할 수 없습니다',
  support: '고객지원에 문의',
  home: (product) => `${product} 홈으로 돌아가기`,
  offline: '오프라인 상태입니다. 인터넷 연결을 확인한 후 다시 시도하세요.',
  unreachable: '서버에 연결할 수 없습니다. 잠시 후 다시 시도하세요.',
  slow: '평소보다 시간이 오래 걸리고 있습니다.',
  impersonating: (product, user) => [user, ` 계정으로 ${product} 화면을 보고 있습니다.`],
  impersonatingUnnamed: (product) => `다른 사용자의 계정으로 ${product} 화면을 보고 있습니다.`,
  stopImpersonating: '종료',
  confirmLink: (email) => [email, ' 계정으로 로그인합니다.'],
  confirmLinkIgnore: '직접 요청하지 않았다면 이 페이지를 닫으세요.',
  confirmLinkOther: '다른 방법으로 로그인',
};
