/**
 * Introspection and revocation of tokens that the engine does not answer for: those that an agent has got, which are under the grant of
 * another client. The engine has authenticated the client before. It knows the package of the protocol, as engine.ts does.
 */
import type { KoaContextWithOIDC } from 'oidc-provider';
import { tokenDigest, type RecordTools, type TokenData } from './records.js';

interface StatusTools extends Pick<RecordTools, 'clock' | 'repository'> {
  issuer: string;
}

/** Whether only we can know the token. The engine sends these answers after it has authenticated the client. */
function isOpen({ body, oidc, status }: KoaContextWithOIDC): boolean {
  if (status !== 200) return false;
  return oidc.route === 'introspection'
    ? (body as { active?: boolean }).active === false
    : oidc.route === 'revocation';
}

export async function answerForToken(ctx: KoaContextWithOIDC, tools: StatusTools): Promise<void> {
  if (!isOpen(ctx)) return;
  const { clock, issuer, repository } = tools;
  const value = ctx.oidc.params?.['token'];
  if (typeof value !== 'string') return;
  const digest = tokenDigest('access', value);
  const found = await repository.findAccess(digest, new Date(clock()));
  if (found?.token.clientId !== ctx.oidc.client?.clientId || !found) return;
  if (ctx.oidc.route === 'revocation') {
    await repository.removeToken(digest);
    return;
  }
  const { aud, clientId, extra, iat, scope } = found.token.data as TokenData;
  ctx.body = {
    active: true,
    ...(found.active && { sub: found.active.user.id }),
    ...{ client_id: clientId, iss: issuer, aud, scope, iat },
    exp: Math.floor(found.token.expiresAt.getTime() / 1000),
    token_type: 'Bearer',
    ...(extra?.act && { act: extra.act }),
  };
}
