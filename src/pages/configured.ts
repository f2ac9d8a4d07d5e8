/** What is configured, for the pages: computed once, and again when the license expires or a router is created. */
import { internals } from '../core/internals.js';
import type { Service } from '../engine/service.js';
import { offersOf, type Offers } from './account/offers.js';
import { featuresOf, type Features } from './features.js';
import type { LookOf } from './provider-looks.js';

export interface Configured {
  readonly features: Features;
  readonly offers: Offers;
}

export function configuredOf(service: Service, lookOf: LookOf): () => Configured {
  let [basis, routers, current]: [object?, number?, Configured?] = [];
  return () => {
    const { features, [internals]: tools } = service;
    if (current && basis === features && routers === tools.createdRouters.size) return current;
    [basis, routers] = [features, tools.createdRouters.size];
    current = { features: featuresOf(service), offers: offersOf(service, lookOf) };
    return current;
  };
}
