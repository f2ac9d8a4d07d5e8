export declare function importOpenIdClient(): Promise<typeof import('openid-client')>;
