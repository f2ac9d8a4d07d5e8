select id, external_id, email, email_verified, username, password_hash, roles, metadata, language,
  blocked_at, blocked_until, created_at, last_sign_in_at
from svc_users where not is_guest order by id;
