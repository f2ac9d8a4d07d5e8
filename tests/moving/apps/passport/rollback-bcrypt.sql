-- Passwords that were set since the move: both systems verify bcrypt.
update users set password_hash = moved.password_hash
from svc_users moved
where moved.external_id = users.id::text and moved.password_hash like '$2b$%';
