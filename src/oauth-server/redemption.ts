/**
 * What is checked before a code is used up, so that a client can correct a mistake. It knows the package of the protocol, as engine.ts
 * does.
 */
import type { AuthorizationCode, DeviceCode, KoaContextWithOIDC } from 'oidc-provider';
import { ProofRefusal, readProof } from '../crypto/dpop-proof.js';
import { endpoints } from './endpoints.js';
import { noResource } from './options.js';
import { listOf, type GrantTools } from './token-requests.js';

type Code = AuthorizationCode | DeviceCode;

interface Consumable {
  consume: (this: Code) => Promise<void>;
}

/** @param current returns the request that is running. */
export function checkBeforeUse(tools: GrantTools, current: () => KoaContextWithOIDC | undefined): void {
  const { AuthorizationCode, DeviceCode } = tools.engine;
  for (const { prototype } of [AuthorizationCode, DeviceCode] as unknown as { prototype: Consumable }[]) {
    const { consume } = prototype;
    prototype.consume = async function () {
      const ctx = current();
      if (ctx) refuseMistakes(tools, ctx, this);
      await consume.call(this);
    };
  }
}

/** @throws the error of the engine. */
function refuseMistakes(tools: GrantTools, ctx: KoaContextWithOIDC, code: Code): void {
  // The user has refused the request of a device: its code is answered, and ends.
  if ('error' in code && code.error !== undefined) return;
  refuseTarget(tools, ctx, code);
  if (!('redirectUri' in code)) return;
  // It may have been removed since the code was sent there, because it is someone else's now.
  if (ctx.oidc.client?.redirectUriAllowed(code.redirectUri ?? '') !== true)
    throw new tools.errors.InvalidGrant('redirect_uri is not registered');
  refuseKey(tools, ctx, code);
}

/** The token is for one resource, for which the user has given access (RFC 8707, 2.2). */
function refuseTarget({ errors, settings }: GrantTools, { oidc }: KoaContextWithOIDC, code: Code): void {
  const asked = listOf(oidc.params?.['resource'] as string | string[] | undefined);
  // The token of a sign-in alone is for the user information.
  const isSignIn = code.scopes.has('openid') && [...code.scopes].every((name) => noResource.includes(name));
  const targets = new Set(asked.length > 0 || isSignIn ? asked : listOf(code.resource));
  const granted = listOf(code.resource);
  const isKnown = [...targets].every((each) => granted.includes(each) && settings.resources.has(each));
  if (targets.size > 1 || !isKnown) throw new errors.InvalidTarget('name one resource of the authorization');
}

/** The client has said to which key its tokens will be bound (RFC 9449, 10). */
function refuseKey(
  { clock, errors, settings }: GrantTools,
  { req }: KoaContextWithOIDC,
  { dpopJkt }: AuthorizationCode,
): void {
  if (dpopJkt === undefined) return;
  const { dpop: header } = req.headers;
  if (header === undefined) throw new errors.InvalidGrant('missing DPoP proof JWT');
  try {
    const url = settings.issuer + endpoints.token;
    const { thumbprint } = readProof({ header, method: 'POST', url, now: clock() });
    if (thumbprint !== dpopJkt)
      throw new errors.InvalidGrant('DPoP proof key thumbprint does not match dpop_jkt');
  } catch (error) {
    throw error instanceof ProofRefusal ? new errors.InvalidDpopProof(error.message) : error;
  }
}
