export declare function importOAuthServerPackage(): Promise<typeof import('oidc-provider')>;
