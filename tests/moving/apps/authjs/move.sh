npx svc-auth import --config users.config.ts --from authjs --database-env DATABASE_URL --dry-run
npx svc-auth import --config users.config.ts --from authjs --database-env DATABASE_URL --yes
