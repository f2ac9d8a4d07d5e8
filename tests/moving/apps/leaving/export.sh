npx svc-auth export --all --file users.jsonl --config users.config.ts
