/** What the page of the consent asks of the server: which request waits, and what its user decides. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ConsentDesk } from '../core/internals.js';
import type { LiveSession } from '../core/sessions/session-checks.js';
import type { OAuthToken } from '../domain/oauth-server.js';
import { TokenInvalidError } from '../errors/catalog.js';
import { because } from '../errors/reasons.js';
import { asksForOther, signInSince, targetOf, type AuthorizationParams } from './asked.js';
import { requestTtlMs, type Engine } from './engine.js';
import { askedScopes, describedScopes, giveAccess, shownClient, type GrantingTools } from './granting.js';
import { tokenDigest } from './records.js';
import { rememberedGrants } from './remembered.js';

/** What the engine reads of a decision. */
type Decided = Readonly<Record<string, unknown>>;
type Interaction = Awaited<ReturnType<Engine['interactionDetails']>>;

export function consentDesk(tools: GrantingTools): ConsentDesk {
  const { clock, engine, repository, settings } = tools;

  /** Whether the client still has the address: it may have been removed since the request began, because it is someone else's now. */
  async function isAddressOf({
    client_id: clientId = '',
    redirect_uri: address = '',
  }: AuthorizationParams): Promise<boolean> {
    return (await (await engine()).Client.find(clientId))?.redirectUriAllowed(address) === true;
  }

  async function find(req: IncomingMessage, res: ServerResponse, id: string): Promise<Interaction | null> {
    try {
      const interaction = await (await engine()).interactionDetails(req, res);
      // The cookie is of the request that began last: a page that shows another one must not decide about it.
      return interaction.uid === id && (await isAddressOf(interaction.params)) ? interaction : null;
    } catch (error) {
      if ((error as { error?: string }).error === 'invalid_request') return null;
      throw error;
    }
  }

  /** Returns the request that its user decides now. @throws TokenInvalidError if it has been decided, or has ended. */
  async function undecided(req: IncomingMessage, res: ServerResponse, id: string): Promise<Interaction> {
    const interaction = await find(req, res, id);
    if (!interaction || interaction.result) throw new TokenInvalidError(because('consent_ended'));
    return interaction;
  }

  /** Returns what is stored of a decided request. Null if it was decided before: of parallel decisions one counts. */
  const withResult = ({ data }: OAuthToken, result: Decided): OAuthToken['data'] | null =>
    data['result'] === undefined ? { ...data, result } : null;

  /** @throws TokenInvalidError if it was decided in the meantime. */
  async function refuse(id: string, result: Decided): Promise<void> {
    const changed = await repository.changeToken(tokenDigest('request', id), new Date(clock()), (token) => {
      const data = withResult(token, result);
      return data && { data, grantId: token.grantId };
    });
    if (!changed) throw new TokenInvalidError(because('consent_ended'));
  }

  /** When the user must have signed in for this request. Null if a session suffices. */
  async function signInSinceFor(params: AuthorizationParams, id: string): Promise<number | null> {
    if (signInSince(params, 0) === null) return null;
    // By our own clock, as the time of the sign-in is.
    const request = await repository.findToken(tokenDigest('request', id));
    return signInSince(params, (request?.expiresAt.getTime() ?? Infinity) - requestTtlMs);
  }

  /**
   * Decides a request. False, and nothing changes, if the user may not give access any more, or if the grants have ended because of which
   * the user was not asked. @throws TokenInvalidError if it was decided in the meantime.
   */
  async function isDecided(
    req: IncomingMessage,
    res: ServerResponse,
    id: string,
    session: LiveSession,
    reliesOn?: readonly string[],
  ): Promise<boolean> {
    const asked = (await undecided(req, res, id)).params as AuthorizationParams;
    const { signedInAt, user } = session;
    const since = await signInSinceFor(asked, id);
    if (since !== null && signedInAt.getTime() < since)
      throw new TokenInvalidError(because('sign_in_too_old'));
    if (asksForOther(asked, user.id)) {
      await refuse(id, { error: 'login_required', error_description: 'Another user is signed in.' });
      return true;
    }
    const login = { accountId: user.id, ts: Math.floor(signedInAt.getTime() / 1000), remember: false };
    const grantId = await giveAccess(tools, session, {
      clientId: asked.client_id ?? '',
      scopes: askedScopes(settings, asked),
      host: targetOf(asked).host,
      request: {
        digest: tokenDigest('request', id),
        decide: (token, given) => withResult(token, { login, consent: { grantId: given } }),
      },
      ...(reliesOn && { reliesOn }),
    });
    if (grantId === null) await undecided(req, res, id);
    return grantId !== null;
  }

  return {
    async open(req, res, id) {
      const interaction = await find(req, res, id);
      if (!interaction) return null;
      const params = interaction.params as AuthorizationParams;
      const client = await shownClient(await engine(), params.client_id ?? '');
      if (!client) return null;
      return {
        ...{ id, client },
        ...targetOf(params),
        scopes: describedScopes(settings, askedScopes(settings, params)),
        mustAsk: (params.prompt ?? '').split(' ').includes('consent'),
        signInSince: await signInSinceFor(params, id),
        continuesAt: interaction.result ? interaction.returnTo : null,
      };
    },
    async allowRemembered(req, res, request, session) {
      const { client, id, mustAsk } = request;
      const asked = { ...request, clientId: client.id };
      const reliesOn = mustAsk ? null : await rememberedGrants(tools, asked, session.user.id);
      return reliesOn !== null && (await isDecided(req, res, id, session, reliesOn));
    },
    async allow(req, res, id, session) {
      if (!(await isDecided(req, res, id, session))) throw new TokenInvalidError(because('epoch_passed'));
    },
    async deny(req, res, id) {
      await undecided(req, res, id);
      await refuse(id, {
        error: 'access_denied',
        error_description: 'The user has refused the request.',
      });
    },
  };
}
