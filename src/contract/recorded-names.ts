/** The slug of the provider of an endpoint's ID, `provider/variant:model`. */
export const providerOfEndpoint = (endpoint: string): string => endpoint.split(/[/:]/, 1)[0] ?? endpoint;

/** Whether who set a requirement is the ID of a rule; otherwise it is a scope, such as `request` or `installation`. */
export const isRuleId = (setBy: string): boolean => /^[0-9a-f-]{36}$/.test(setBy);
