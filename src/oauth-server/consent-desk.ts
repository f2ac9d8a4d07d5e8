/** What the page of the consent asks of the server: which request waits, and what its user decides. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ConsentDesk } from '../core/internals.js';
import { TokenInvalidError } from '../errors/catalog.js';
import { because } from '../errors/reasons.js';
import { requestTtlMs, type Engine } from './engine.js';
import {
  askedScopes,
  describedScopes,
  giveAccess,
  shownClient,
  type AskedParams,
  type GrantingTools,
} from './granting.js';
import { tokenDigest } from './records.js';
import { hostOf, isLoopback, isNative } from './redirect-uris.js';

type Interaction = Awaited<ReturnType<Engine['interactionDetails']>>;

interface Params extends AskedParams {
  client_id?: string;
  redirect_uri?: string;
  prompt?: string;
  max_age?: string | number;
  id_token_hint?: string;
}

/** Whose an ID token is, whose signature the engine has checked. */
function subjectOf(idToken: string): unknown {
  const payload = Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString();
  return (JSON.parse(payload) as { sub?: unknown }).sub;
}

export function consentDesk(tools: GrantingTools): ConsentDesk {
  const { clock, engine, repository, settings } = tools;

  /** Whether the client still has the address: it may have been removed since the request began, because it is someone else's now. */
  async function isAddressOf({
    client_id: clientId = '',
    redirect_uri: address = '',
  }: Params): Promise<boolean> {
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

  async function finish(
    req: IncomingMessage,
    res: ServerResponse,
    id: string,
    decide: (interaction: Interaction) => Promise<Record<string, unknown>>,
  ): Promise<void> {
    const interaction = await find(req, res, id);
    if (!interaction || interaction.result) throw new TokenInvalidError(because('consent_ended'));
    const result = await decide(interaction);
    await (await engine()).interactionResult(req, res, result, { mergeWithLastSubmission: false });
  }

  /** When the user must have signed in for this request, in milliseconds since the epoch. Null if a session suffices. */
  async function signInSince({ prompt = '', max_age: maxAge }: Params, id: string): Promise<number | null> {
    const mustSignIn = prompt.split(' ').includes('login');
    if (!mustSignIn && maxAge === undefined) return null;
    // By our own clock, as the time of the sign-in is.
    const request = await repository.findToken(tokenDigest('request', id));
    const begun = (request?.expiresAt.getTime() ?? Infinity) - requestTtlMs;
    return mustSignIn ? begun : begun - Number(maxAge) * 1000;
  }

  return {
    async open(req, res, id) {
      const interaction = await find(req, res, id);
      if (!interaction) return null;
      const params = interaction.params as Params;
      const client = await shownClient(await engine(), params.client_id ?? '');
      if (!client) return null;
      const address = params.redirect_uri ?? '';
      return {
        ...{ id, client },
        host: hostOf(address),
        isLocal: isNative([address]) || isLoopback(new URL(address)),
        scopes: describedScopes(settings, askedScopes(settings, params)),
        mustAsk: (params.prompt ?? '').split(' ').includes('consent'),
        signInSince: await signInSince(params, id),
        continuesAt: interaction.result ? interaction.returnTo : null,
      };
    },
    async isGranted({ client, isLocal, mustAsk, scopes }, userId) {
      // Any program on the computer can claim to be this client (RFC 8252, 8.6).
      if (isLocal || mustAsk) return false;
      const grants = await repository.listGrants(userId, new Date(clock()));
      const given = grants.filter(({ clientId }) => clientId === client.id);
      // A scope of one resource allows nothing at another one that has a scope of this name.
      return (
        scopes.length > 0 &&
        scopes.every(({ resource, name }) => given.some((grant) => grant.scopes[resource]?.includes(name)))
      );
    },
    allow: (req, res, id, session) =>
      finish(req, res, id, async ({ params }) => {
        const asked = params as Params;
        const { signedInAt, user } = session;
        const since = await signInSince(asked, id);
        if (since !== null && signedInAt.getTime() < since)
          throw new TokenInvalidError(because('sign_in_too_old'));
        // The client has asked for the user of its ID token (OpenID Connect Core, 3.1.2.1).
        if (asked.id_token_hint !== undefined && subjectOf(asked.id_token_hint) !== user.id)
          return { error: 'login_required', error_description: 'Another user is signed in.' };
        const scopes = askedScopes(settings, asked);
        const grantId = await giveAccess(tools, session, asked.client_id ?? '', scopes);
        if (grantId === null) throw new TokenInvalidError(because('epoch_passed'));
        const ts = Math.floor(signedInAt.getTime() / 1000);
        return { login: { accountId: user.id, ts, remember: false }, consent: { grantId } };
      }),
    deny: (req, res, id) =>
      finish(req, res, id, () =>
        Promise.resolve({ error: 'access_denied', error_description: 'The user has refused the request.' }),
      ),
  };
}
