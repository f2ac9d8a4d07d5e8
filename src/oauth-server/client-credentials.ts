/** Tokens of clients themselves (RFC 6749, 4.4). It knows the package of the protocol, as engine.ts does. */
import {
  listOf,
  provenKey,
  scopesOf,
  scopesOfClient,
  targetOf,
  type GrantTools,
  type TokenRequest,
} from './token-requests.js';

export function clientCredentials(tools: GrantTools): (ctx: TokenRequest) => Promise<void> {
  return async (ctx) => {
    const { client, params } = ctx.oidc;
    const target = targetOf(tools, listOf(params.resource));
    const scopes = scopesOf(tools, params.scope, scopesOfClient(client, target));
    const token = new tools.engine.ClientCredentials({ client, scope: scopes.join(' ') });
    token.resourceServer = target;
    const key = await provenKey(tools, ctx);
    if (key !== null) token.setThumbprint('jkt', key);
    ctx.body = {
      access_token: await token.save(),
      token_type: token.tokenType,
      expires_in: token.expiration,
      scope: scopes.join(' '),
    };
  };
}
