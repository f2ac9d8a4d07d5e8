npx svc-auth import --config users.config.ts --from passport --database-env DATABASE_URL --dry-run
npx svc-auth import --config users.config.ts --from passport --database-env DATABASE_URL --yes
