-- Accounts at identity providers. The provider `phone` has phone numbers.
select user_id, provider, provider_account_id from svc_identities;

-- Passkeys: base64url. The key is a COSE key.
select user_id, id, public_key, counter, transports, backup_eligible, backed_up, aaguid, name from svc_credentials;

-- API keys: `svc_<id>_<secret>_<checksum>`, with SHA-256 of the secret in base64url. Imported keys have SHA-256 of the whole key.
select user_id, org_id, id, secret_hash, key_digest, name, scopes, expires_at from svc_api_keys where revoked_at is null;

-- Organizations and their members.
select o.id, o.slug, o.name, o.metadata, m.user_id, m.role from svc_orgs o join svc_org_memberships m on m.org_id = o.id;
