npx svc-auth import --config users.config.ts --from lucia --database-env DATABASE_URL --dry-run
npx svc-auth import --config users.config.ts --from lucia --database-env DATABASE_URL --yes
