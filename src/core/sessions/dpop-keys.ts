/**
 * The keys of clients without cookies (RFC 9449): a bearer session that was started with a proof of a key is bound to it, and nothing but
 * further proofs continues it (docs/single-page-applications.md). The thumbprint of the key is a claim of the refresh family.
 */
import { ProofRefusal, readProof, type ProvenRequest } from '../../crypto/dpop-proof.js';
import { sha256 } from '../../crypto/digest.js';
import { anybody } from '../../domain/single-use-token.js';
import { TokenInvalidError } from '../../errors/catalog.js';
import { because } from '../../errors/reasons.js';
import type { SingleUseTokenRepository } from '../../storage/repositories.js';
import type { Clock } from '../support/clock.js';
import { provenOnceOf, type ProvenOnce } from './proven-requests.js';

export interface DpopOptions {
  dpop: 'accepted' | 'required';
  /** The origin of the routes as clients know it. If absent, that of the request. */
  origin?: string | undefined;
}

/** A proof that was checked, except for whether it was used before. */
export interface KeyProof {
  /** Of the key (RFC 7638). */
  thumbprint: string;
  /** Uses the proof up. A second call for the same request has no effect. @throws TokenInvalidError if another request has used it. */
  use(): Promise<void>;
}

export class DpopKeys {
  /** By request, and by the token that the proof names. */
  private readonly known = new WeakMap<object, Map<string, KeyProof>>();
  private readonly used = new WeakMap<object, Promise<void>>();

  constructor(
    private readonly tokens: SingleUseTokenRepository,
    private readonly clock: Clock,
    private readonly options: DpopOptions,
  ) {}

  get isRequired(): boolean {
    return this.options.dpop === 'required';
  }

  get origin(): string | undefined {
    return this.options.origin;
  }

  /**
   * Checks the proof of a request, which then counts for the whole request: a body can take longer to arrive than a proof lasts.
   * @param request for which the proof is used once, however many guards check it.
   * @throws TokenInvalidError if the proof is missing or invalid.
   */
  read(request: object, proven: Omit<ProvenRequest, 'now'>): KeyProof {
    const proofs = this.known.get(request) ?? new Map<string, KeyProof>();
    this.known.set(request, proofs);
    const name = `${proven.token ?? ''} ${String(proven.header)}`;
    const proof = proofs.get(name) ?? this.check(request, proven);
    proofs.set(name, proof);
    return proof;
  }

  private check(request: object, proven: Omit<ProvenRequest, 'now'>): KeyProof {
    const now = this.clock();
    const once = provenOnceOf(request, now);
    try {
      const { thumbprint, id, expiresAt } = readProof({ ...proven, now: once.since });
      const digest = sha256(`dpop ${thumbprint} ${id}`);
      return { thumbprint, use: () => this.useOnce(request, once, digest, expiresAt) };
    } catch (error) {
      if (!(error instanceof ProofRefusal)) throw error;
      throw new TokenInvalidError({
        message: error.message,
        ...(error.isOfAnotherTime && { serverTime: Math.floor(now / 1000) }),
        ...because('dpop_proof_invalid'),
      });
    }
  }

  private useOnce(request: object, once: ProvenOnce, digest: string, expiresAt: Date): Promise<void> {
    const known = this.used.get(request);
    if (known) return known;
    const use = this.claim(once, digest, expiresAt);
    this.used.set(request, use);
    return use;
  }

  private async claim({ id, since }: ProvenOnce, digest: string, expiresAt: Date): Promise<void> {
    const metadata = { request: id };
    const token = { digest, purpose: 'dpop_proof', subject: anybody, expiresAt, metadata } as const;
    if (await this.tokens.claim(token)) return;
    // Another service has used it for the same request.
    const used = await this.tokens.find('dpop_proof', digest, new Date(since));
    if (used?.metadata['request'] === id) return;
    throw new TokenInvalidError({
      message: 'The proof was used before.',
      ...because('dpop_proof_invalid'),
    });
  }
}
