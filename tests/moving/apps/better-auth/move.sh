npx svc-auth import --config users.config.ts --from better-auth --database-env DATABASE_URL \
  --secret-env AUTH_SECRET --dry-run

npx svc-auth import --config users.config.ts --from better-auth --database-env DATABASE_URL \
  --secret-env AUTH_SECRET --yes
