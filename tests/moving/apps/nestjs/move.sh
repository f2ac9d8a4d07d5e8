npx svc-auth import --config users.config.ts --from nestjs --database-env DATABASE_URL \
  --map externalId=id,email=email,passwordHash=password --trust-addresses --dry-run

npx svc-auth import --config users.config.ts --from nestjs --database-env DATABASE_URL \
  --map externalId=id,email=email,passwordHash=password --trust-addresses --yes
