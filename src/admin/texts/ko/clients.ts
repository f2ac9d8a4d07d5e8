/** Korean: the clients of the OAuth server. */
import type { AdminTexts } from '../texts.js';

export const clients: AdminTexts['clients'] = {
  register: '클라이언트 등록',
  count: (_n, shown) => `클라이언트 ${shown}개`,
  client: '클라이언트',
  kind: '종류',
  returnsTo: '돌아가는 곳',
  created: '만든 날짜',
  createdAt: (time) => ['만든 날짜: ', time],
  none: '아직 클라이언트가 없습니다',
  noneLead:
    '클라이언트는 사용자에게 접근을 요청하는 애플리케이션입니다. 직접 등록하거나 클라이언트가 스스로 등록하면 여기에 표시됩니다.',
  notFound: '클라이언트를 찾을 수 없습니다',
  notFoundLead: '삭제되었거나 만료되었을 수 있습니다.',
  kinds: {
    registered: '등록됨',
    dynamic: '스스로 등록함',
    document: '자체 주소',
  },
  proofs: {
    none: '보안 비밀 없음',
    secret: '보안 비밀 있음',
    key: '자체 키 있음',
  },
  kindAndProof: (kind, proof) => `${kind}, ${proof}`,
  name: '이름',
  nameHint: '클라이언트가 접근을 요청할 때 사용자에게 표시됩니다.',
  id: '클라이언트 ID',
  redirects: '리디렉션 주소',
  redirectsHint: (example) => `정확한 주소를 한 줄에 하나씩 입력하세요(예: ${example}).`,
  page: '페이지',
  expires: '만료',
  change: '변경',
  remove: '삭제',
  secret: '보안 비밀',
  secrets: '보안 비밀',
  newLead: '사용자에게 계정 접근을 요청할 수 있는 애플리케이션입니다.',
  confidential: '서버에서 실행되며 보안 비밀을 보관함',
  confidentialHint: '보안 비밀은 한 번만 표시됩니다. 앱, 명령줄, 웹페이지는 보관하지 않습니다.',
  edit: {
    title: '클라이언트 변경',
    lead: '사용자가 허용한 내용은 그대로 유지됩니다.',
    submit: '클라이언트 저장',
  },
  shownSecret: {
    title: '클라이언트 보안 비밀',
    lead: '지금 보안 비밀을 복사하세요. 다시 표시되지 않습니다.',
    done: '완료',
  },
  addSecret: {
    title: '보안 비밀 추가',
    lead: '하나를 삭제할 때까지 두 보안 비밀을 모두 사용할 수 있습니다.',
  },
  removeSecret: {
    title: '보안 비밀 삭제',
    lead: '이 보안 비밀을 사용하는 프로그램은 바로 거부됩니다. 이 작업은 취소할 수 없습니다.',
  },
  removal: {
    title: '클라이언트 삭제',
    summary: '사용자가 허용한 내용이 모두 종료됩니다.',
    lead: '클라이언트와 사용자가 허용한 모든 내용이 바로 종료됩니다. 이 작업은 취소할 수 없습니다.',
  },
};
