-- Google accounts of users who have signed up since the move.
insert into federated_credentials (user_id, provider, subject)
select moved.external_id::integer, 'https://accounts.google.com', account.provider_account_id
from svc_identities account join svc_users moved on moved.id = account.user_id
where account.provider = 'google' and moved.external_id is not null
on conflict do nothing;
