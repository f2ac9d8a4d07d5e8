export DATABASE_URL="$NEW_DATABASE_URL"
npx svc-auth import --from jsonl --file users.jsonl --config users.config.ts --any-username --dry-run
npx svc-auth import --from jsonl --file users.jsonl --config users.config.ts --any-username --yes
