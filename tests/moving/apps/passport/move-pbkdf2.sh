# What would happen: users, hashes, identities, conflicts. Nothing is written.
npx svc-auth import --config users.config.ts --from passport --database-env DATABASE_URL \
  --hash format=pbkdf2,digest=sha256,iterations=310000 --dry-run

# The import. It shows the same, and without --yes it asks. Run it again after an interruption.
npx svc-auth import --config users.config.ts --from passport --database-env DATABASE_URL \
  --hash format=pbkdf2,digest=sha256,iterations=310000 --yes
