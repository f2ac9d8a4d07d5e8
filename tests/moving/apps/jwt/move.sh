npx svc-auth import --config users.config.ts --from passport --database-env DATABASE_URL \
  --map table=user,externalId=id,email=email,username=username,passwordHash=password,roles=role --dry-run

npx svc-auth import --config users.config.ts --from passport --database-env DATABASE_URL \
  --map table=user,externalId=id,email=email,username=username,passwordHash=password,roles=role --yes
