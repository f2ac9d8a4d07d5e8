-- Passwords that were set since the move: both systems verify bcrypt.
update members set password_digest = moved.password_hash
from svc_users moved
where moved.external_id = members.id::text and moved.password_hash like '$2b$%';
