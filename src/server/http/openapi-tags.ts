/** The groups of operations in the order of the reference. */
export const tags: readonly { readonly name: string; readonly description: string }[] = [
  { name: "Inference", description: "Send prompts, conversations, texts and documents to models." },
  { name: "Models", description: "The models that can be requested, with their endpoints and prices." },
  {
    name: "Providers",
    description: "The providers of the models: locations, data policies and their sources.",
  },
  { name: "Routing rules", description: "Which providers may serve which requests, and dry runs." },
  { name: "Presets", description: "Named models, prompts and parameters with versions." },
  { name: "API keys", description: "Keys with permissions, limits and expiry." },
  { name: "Key issuance", description: "Keys for apps through OAuth with PKCE and a consent page." },
  { name: "Identity", description: "The owner of a key and its remaining credit." },
  { name: "Activity", description: "Requests, tokens and costs, per request and summed." },
  { name: "Credits", description: "The credit of an organisation and its ledger." },
  { name: "Prices", description: "Prices of endpoints and their history." },
  { name: "Provider credentials", description: "An organisation's own credentials for providers." },
  { name: "Broadcast destinations", description: "Where traces of requests are sent." },
  { name: "Workspaces", description: "Parts of an organisation with their own limits and rules." },
  { name: "Budgets", description: "Limits on money, tokens, requests and parallel requests." },
  {
    name: "Alerts",
    description: "Rules that watch budgets, requests and the catalogue, and whom they notify.",
  },
  {
    name: "Configuration",
    description: "The configuration of an organisation as a file: export, plan and apply.",
  },
  { name: "Members", description: "People, invitations, roles and service accounts." },
  { name: "Organisations", description: "Organisations of the installation, for its operator." },
  { name: "Audit log", description: "Who changed what." },
  { name: "Evidence", description: "Where requests and personal data went." },
];
