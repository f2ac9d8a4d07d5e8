/**
 * Introspection and revocation of tokens that the engine does not answer for: JWTs, and those that an agent has got, which are under the
 * grant of another client. The engine has authenticated the client before. It knows the package of the protocol, as engine.ts does.
 */
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { FoundAccess, OAuthServerRepository } from '../storage/oauth-server-repository.js';
import { accessDigest, type JwtTools } from './jwt-access-tokens.js';
import type { RecordTools, TokenData } from './records.js';

type StatusTools = JwtTools & Pick<RecordTools, 'repository'>;

/** Whether only we can know the token. The engine sends these answers after it has authenticated the client. */
function isOpen({ body, oidc, status }: KoaContextWithOIDC): boolean {
  if (oidc?.route !== 'introspection' && oidc?.route !== 'revocation') return false;
  const { active, error } = (body ?? {}) as { active?: boolean; error?: string };
  // It answers so for every JWT.
  if (status === 400) return error === 'unsupported_token_type';
  return status === 200 && (oidc.route === 'revocation' || active === false);
}

export async function answerForToken(ctx: KoaContextWithOIDC, tools: StatusTools): Promise<void> {
  if (!isOpen(ctx)) return;
  const { clock, issuer, repository } = tools;
  const { client, params, route } = ctx.oidc;
  const digest = await accessDigest(tools, String(params?.['token']));
  const found = digest === null ? null : await repository.findAccess(digest, new Date(clock()));
  const own = found && (found.token.data as TokenData).clientId === client?.clientId ? found : null;
  ctx.status = 200;
  if (route === 'revocation') {
    if (own) await revoke(own, repository);
    ctx.body = '';
    return;
  }
  ctx.body = own ? describe(own, issuer) : { active: false };
}

/** As the engine does it: with a token of the user's client end the others of its grant, and with one of an agent this token alone. */
async function revoke({ active, token }: FoundAccess, repository: OAuthServerRepository): Promise<void> {
  if (active && token.clientId === null) await repository.removeTokensOf(active.grant.id);
  else await repository.removeToken(token.digest);
}

function describe({ active, token }: FoundAccess, issuer: string): object {
  const { aud, clientId, extra, iat, jkt, scope } = token.data as TokenData;
  return {
    active: true,
    sub: active?.user.id ?? clientId,
    ...{ client_id: clientId, iss: issuer, aud, scope, iat },
    exp: Math.floor(token.expiresAt.getTime() / 1000),
    token_type: jkt === undefined ? 'Bearer' : 'DPoP',
    ...(jkt !== undefined && { cnf: { jkt } }),
    ...(extra?.act && { act: extra.act }),
  };
}
