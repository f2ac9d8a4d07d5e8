/** Korean: the frame of the admin pages, and messages. */
import type { AdminTexts } from '../texts.js';
import { errors } from './errors.js';
import { users } from './users.js';
import { actions } from './actions.js';
import { clients } from './clients.js';
import { operations } from './operations.js';
import { reports } from './reports.js';

export const ko: AdminTexts = {
  direction: 'ltr',
  skip: '본문으로 건너뛰기',
  language: '언어',
  zone: (zone) => ['시간대: ', zone],
  error: '오류',
  optional: '선택사항',
  cancel: '취소',
  none: '없음',
  never: '없음',
  nothingChanged: '변경된 내용이 없습니다',
  toApp: '앱으로 돌아가기',
  signedIn: '로그인됨',
  sections: {
    label: '기본 메뉴',
    trail: '이동 경로',
    overview: '개요',
    users: '사용자',
    clients: '클라이언트',
    audit: '감사 로그',
  },
  pager: {
    label: '목록 페이지',
    first: '첫 페이지',
    previous: '이전 페이지',
    next: '다음 페이지',
    empty: '목록의 이 페이지는 비어 있습니다.',
  },
  names: {
    user: (id) => `사용자 ${id}`,
    guest: (id) => `게스트 ${id}`,
  },
  states: {
    active: '활성',
    blocked: '차단됨',
    guest: '게스트',
    verified: '인증됨',
    unverified: '인증되지 않음',
    twoFactor: '2단계 인증',
    you: '나',
  },
  devices: {
    on: (client, system) => `${client}(${system})`,
    unknown: '알 수 없는 기기',
  },
  impersonation: {
    title: '다른 사용자로 작업 중입니다',
    lead: (who) => [who, ' 사용자로 작업 중입니다. 종료할 때까지 관리 페이지를 이용할 수 없습니다.'],
    stop: '사용자 작업 종료',
  },
  done: {
    address: '이메일 주소를 변경했습니다.',
    blocked: '사용자를 차단했습니다.',
    client_created: '클라이언트를 등록했습니다.',
    client_removed: '클라이언트를 삭제했습니다.',
    client_saved: '클라이언트를 저장했습니다.',
    created: '사용자를 만들었습니다.',
    deleted: '사용자를 삭제했습니다.',
    impersonation_ended: '사용자 작업을 종료했습니다.',
    invited: '초대를 보냈습니다.',
    invited_again: '이 주소에는 인증되지 않은 계정이 있습니다. 초대를 다시 보냈습니다.',
    key_revoked: 'API 키를 폐기했습니다.',
    metadata: '메타데이터를 저장했습니다.',
    name: '이름과 사진을 저장했습니다.',
    password: '비밀번호를 설정했습니다.',
    removed_app: '인증 앱을 삭제했습니다.',
    removed_from_org: '사용자를 조직에서 내보냈습니다.',
    removed_passkey: '패스키를 삭제했습니다.',
    roles: '역할을 저장했습니다.',
    secret_removed: '보안 비밀을 삭제했습니다.',
    session_ended: '기기에서 로그아웃했습니다.',
    signed_out: '사용자를 모든 기기에서 로그아웃했습니다.',
    token_revoked: '앱 토큰을 폐기했습니다.',
    unblocked: '사용자의 차단을 해제했습니다.',
    unlinked: '계정 연결을 해제했습니다.',
    username: '사용자 이름을 저장했습니다.',
    verified: '이메일 주소를 인증했습니다.',
  },
  errors,
  ...users,
  actions,
  clients,
  operations,
  ...reports,
};
