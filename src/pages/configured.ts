/** What is configured, for the pages: computed once, and again when the license expires or a router is created. */
import { internals } from '../core/internals.js';
import type { Service } from '../engine/service.js';
import { offersOf, type Offers } from './account/offers.js';
import { featuresOf, type Features } from './features.js';

export interface Configured {
  readonly features: Features;
  readonly offers: Offers;
}

/** @param providerNames the labels of identity providers. */
export function configuredOf(
  service: Service,
  providerNames: Readonly<Record<string, string>>,
): () => Configured {
  let [basis, routers, current]: [object?, number?, Configured?] = [];
  return () => {
    const { features, [internals]: tools } = service;
    if (current && basis === features && routers === tools.createdRouters.size) return current;
    [basis, routers] = [features, tools.createdRouters.size];
    current = { features: featuresOf(service), offers: offersOf(service, providerNames) };
    return current;
  };
}
