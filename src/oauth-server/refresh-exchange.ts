/**
 * The exchange of refresh tokens: of parallel calls every one gets the same successor. It knows the package of the protocol, as engine.ts
 * does.
 */
import type { KoaContextWithOIDC } from 'oidc-provider';
import { InternalError } from '../errors/catalog.js';
import { grantEnded } from './grant-ends.js';
import type { OAuthServerSettings } from './options.js';
import type { RecordTools } from './records.js';
import { openRefreshToken, refreshTokenOf } from './refresh-tokens.js';

interface TokenResponse {
  refresh_token?: string;
}

type ExchangeTools = Pick<RecordTools, 'changes' | 'clock' | 'keys' | 'repository'> & {
  onReuse: (about: { grantId: string }) => void;
};

/** Replaces the engine's refresh token by that of the grant. */
export async function exchange(
  ctx: KoaContextWithOIDC,
  { refreshGraceMs, refreshTtlMs }: OAuthServerSettings,
  { changes, clock, keys, onReuse, repository }: ExchangeTools,
): Promise<void> {
  const body = ctx.body as TokenResponse | undefined;
  const presented = body?.refresh_token;
  if (presented === undefined || ctx.status !== 200) return;
  const opened = openRefreshToken(keys, presented);
  if (!opened) {
    const grantId = ctx.oidc.entities.RefreshToken?.grantId;
    if (grantId === undefined) throw new InternalError(undefined, 'A refresh token has no grant.');
    body!.refresh_token = refreshTokenOf(keys, { grantId, counter: 0 });
    return;
  }
  const now = clock();
  const rotation = {
    id: opened.grantId,
    counter: opened.counter,
    graceMs: refreshGraceMs,
    now: new Date(now),
    expiresAt: new Date(now + refreshTtlMs),
  };
  const outcome = await changes.commit(
    () => repository.rotate(rotation),
    (rotated) => (rotated.status === 'reused' ? [grantEnded(rotated.grant, 'refresh_reused')] : []),
  );
  if (outcome.status === 'rotated' || outcome.status === 'current') {
    const { id, counter } = outcome.grant;
    body!.refresh_token = refreshTokenOf(keys, { grantId: id, counter });
    return;
  }
  if (outcome.status === 'reused') onReuse({ grantId: opened.grantId });
  ctx.status = 400;
  ctx.body = { error: 'invalid_grant', error_description: 'grant request is invalid' };
}
