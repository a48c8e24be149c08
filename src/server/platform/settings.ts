import { z } from "zod";
import { Residency } from "#contract/residency.ts";
import { limits } from "./limits.ts";
import { operation } from "./operation-settings.ts";
import {
  addressRanges,
  countryCodes,
  settingDocs as docs,
  flag,
  hosts,
  httpUrl,
  list,
  perMinute,
  postgresUrl,
  type SettingSection,
  sealingKey,
} from "./setting-types.ts";

const { passwords } = limits;

const network = {
  HOST: z.string().min(1).default("127.0.0.1").register(docs, { description: "Address to listen on." }),
  PORT: z.coerce
    .number({ error: "must be a port number" })
    .int()
    .min(0)
    .max(65535)
    .default(3000)
    .register(docs, { description: "Port to listen on; `0` takes a free one." }),
  WORKERS: z.coerce
    .number({ error: "must be a number of processes" })
    .int("must be a whole number")
    .min(1, "must be 1 or more")
    .max(64, "may be 64 at most")
    .default(1)
    .register(docs, {
      description:
        "Number of processes that share the port; use one per CPU core. More than one needs `DATABASE_URL`.",
    }),
  PUBLIC_URL: httpUrl().optional().register(docs, {
    description: "URL under which people and programs reach the server, if it is behind a proxy.",
    example: "https://router.example.eu",
  }),
  TRUSTED_PROXIES: addressRanges().register(docs, {
    description:
      "Proxies whose `X-Forwarded-For` header is trusted: addresses or CIDR ranges, separated by commas.",
    example: "10.0.0.0/8",
  }),
  NODE_ENV: z
    .enum(["production", "development", "test"], { error: "must be production, development or test" })
    .default("production")
    .register(docs, {
      description:
        "`production` or `development` (the console is compiled on demand). `npm start` and `npm run dev` set it.",
    }),
};

const storage = {
  DATA_DIR: z.string().min(1).default(".data").register(docs, {
    description:
      "Directory for the embedded database, the spool and the generated encryption key. Only one server at a time can use it.",
  }),
  DATABASE_URL: postgresUrl().optional().register(docs, {
    description: "PostgreSQL 15 or later.",
    example: "postgresql://portolan:secret@db.example.eu:5432/portolan",
    fallback: "embedded database in `DATA_DIR`",
  }),
  DATABASE_READ_URL: postgresUrl().optional().register(docs, {
    description:
      "A replica of the database of `DATABASE_URL`, from which reports, charts and the overview are read while it is at most a minute behind.",
    example: "postgresql://portolan:secret@replica.example.eu:5432/portolan",
    fallback: "`DATABASE_URL`",
  }),
  ENCRYPTION_KEY: sealingKey().optional().register(docs, {
    description:
      "Key that encrypts stored secrets: 32 bytes in base64 (`openssl rand -base64 32`). Required with `DATABASE_URL`.",
    fallback: "generated once, stored in `DATA_DIR`",
  }),
  ENCRYPTION_KEY_PREVIOUS: list.pipe(z.array(sealingKey())).register(docs, {
    description:
      "Earlier values of `ENCRYPTION_KEY`, separated by commas. Keep them until the log says that they are no longer needed.",
  }),
};

const administrator = {
  ADMIN_EMAIL: z.email("must be an e-mail address").optional().register(docs, {
    description: "E-mail address of the first administrator.",
    example: "you@example.eu",
    fallback: "`admin@portolan.internal`",
  }),
  ADMIN_PASSWORD: z
    .string()
    .min(passwords.lengthMin, `must have at least ${passwords.lengthMin} characters`)
    .max(passwords.lengthMax, `may have ${passwords.lengthMax} characters at most`)
    .optional()
    .register(docs, {
      description: `Password of the first administrator, at least ${passwords.lengthMin} characters.`,
      fallback: "generated, printed once",
    }),
  ADMIN_API_KEY: z
    .string()
    .optional()
    .register(docs, { description: "First API key.", fallback: "generated, printed once" }),
};

const keysAndLimits = {
  KEY_PREFIX: z
    .string()
    .regex(/^[a-z][a-z0-9]{1,15}$/, "must be 2 to 16 lower-case letters or digits")
    .default("ptl")
    .register(docs, { description: "Prefix of API keys." }),
  ALLOW_PLAIN_PKCE: flag(true).register(docs, {
    description: "Whether apps may request keys with the PKCE method `plain` as well as `S256`.",
  }),
  RATE_LIMIT_KEY: perMinute(600).pipe(z.number().min(1, "must be 1 or more")).register(docs, {
    description:
      "Requests per minute of an API key without a limit of its own, and of a person in the console. At least 1.",
  }),
  RATE_LIMIT_ORGANISATION: perMinute(6000).register(docs, {
    description: "Requests per minute of an organisation, all keys and people together.",
  }),
  RATE_LIMIT_AUTH: perMinute(20).register(docs, {
    description: "Requests per minute from one address to the public part of `/auth`.",
  }),
  RATE_LIMIT_PUBLIC: perMinute(60).register(docs, {
    description: "Requests per minute from one address without an API key to other public routes.",
  }),
  RATE_LIMIT_PAGES: perMinute(300).register(docs, {
    description:
      "Console pages per minute for one address, counted by each process; ten times as many static files.",
  }),
  RATE_LIMIT_TEST: perMinute(10).register(docs, {
    description: "Tests of destinations and credentials per minute of an organisation.",
  }),
};

const signIn = {
  OIDC_ISSUER: httpUrl("must be the http(s) URL of an OpenID Connect issuer").optional().register(docs, {
    description:
      "OpenID Connect provider for sign-in; needs `OIDC_CLIENT_ID` and `OIDC_CLIENT_SECRET`. The callback URL is `<PUBLIC_URL>/api/auth/oidc/callback`.",
    example: "https://login.example.eu/realms/main",
  }),
  OIDC_CLIENT_ID: z.string().optional().register(docs, {
    description: "Client ID of this installation at the provider.",
    example: "portolan",
  }),
  OIDC_CLIENT_SECRET: z.string().optional().register(docs, { description: "Client secret at the provider." }),
  OIDC_SIGN_UP: z
    .enum(["invited", "open"], { error: "must be invited or open" })
    .default("invited")
    .register(docs, {
      description:
        "`invited`: only people who are members or invited can sign in. `open`: everybody whom the provider authenticates joins the first organisation as a member.",
    }),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: "must start with smtp:// or smtps://" })
    .optional()
    .register(docs, {
      description:
        "Mail server for invitations and password resets; needs `MAIL_FROM` and `PUBLIC_URL`. Without it, the console shows links to copy.",
      example: "smtps://user:password@mail.example.eu:465",
    }),
  MAIL_FROM: z
    .string()
    .regex(/^[^<>@]*(?:<[^<>@\s]+@[^<>@\s]+>|\b[^<>@\s]+@[^<>@\s]+)$/, {
      error: "must be an address, such as Portolan <portolan@example.eu>",
    })
    .optional()
    .register(docs, { description: "Sender of these mails.", example: "Portolan <portolan@example.eu>" }),
};

const providers = {
  CATALOG_FILE: z.string().optional().register(docs, {
    description:
      "JSON file that adds or replaces providers, models and endpoints ([guide](guides/add-a-provider.md)).",
    example: "/etc/portolan/catalogue.json",
  }),
  SANDBOX: flag(true).register(docs, { description: "Whether the sandbox's test providers are available." }),
  ALLOW_PRIVATE_HOSTS: hosts().register(docs, {
    description:
      "Private hosts at which providers may be reached: names or addresses, with or without a port, or CIDR ranges, separated by commas.",
    example: "10.0.8.0/24,ollama.internal",
  }),
  ALLOW_PRIVATE_OWN_PROVIDERS: hosts().register(docs, {
    description: "The same for the own providers of organisations, all of which may use these hosts.",
    example: "gpu-1.internal:8000",
  }),
  ALLOW_PRIVATE_DESTINATIONS: hosts().register(docs, {
    description:
      "The same for broadcast destinations. These hosts may also be reached by http, and on any port if none is given.",
    example: "collector.internal,10.0.9.0/24",
  }),
};

const policyAndMoney = {
  DEFAULT_DATA_RESIDENCY: Residency.optional().register(docs, {
    description: "Data residency of requests for which neither a rule nor the request sets one.",
    example: "eu",
  }),
  EU_ADEQUACY_EXCLUDE: countryCodes().register(docs, {
    description:
      "Countries whose EU adequacy decision `eu_adequate` does not rely on: country codes, separated by commas.",
    example: "US,GB",
  }),
  EUR_USD_RATE: z
    .string()
    .regex(/^\d+(\.\d+)?$/, "must be a decimal such as 1.1596 (USD for 1 EUR)")
    .optional()
    .register(docs, {
      description: "Fixed exchange rate, USD for 1 EUR, for networks without internet access.",
      example: "1.1596",
      fallback: "the ECB's daily rate",
    }),
  EXCHANGE_RATES_URL: z
    .union([z.literal("off"), z.url({ protocol: /^https?$/ })], { error: 'must be an http(s) URL, or "off"' })
    .default("https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml")
    .register(docs, {
      description: "Source of the ECB's daily rates. With `off` the last known rate is used.",
    }),
};

/** The order of the documentation. */
export const settingSections: readonly SettingSection[] = [
  { title: "Network", settings: network },
  { title: "Storage", settings: storage },
  { title: "First administrator", note: "Read only while the database is empty.", settings: administrator },
  { title: "API keys and rate limits", note: "A rate limit of `0` means no limit.", settings: keysAndLimits },
  { title: "Sign-in and mail", settings: signIn },
  {
    title: "Providers and destinations",
    note: "The API key of a provider is `<SLUG>_API_KEY`: its slug in capitals, such as `MISTRAL_API_KEY`.",
    settings: providers,
  },
  { title: "Policy and money", settings: policyAndMoney },
  { title: "Operation", settings: operation },
];

/** Every setting. Its documentation and `.env.example` are generated from here. */
export const Settings = z.object({
  ...network,
  ...storage,
  ...administrator,
  ...keysAndLimits,
  ...signIn,
  ...providers,
  ...policyAndMoney,
  ...operation,
});
export type Settings = z.infer<typeof Settings>;

/** Settings that have another name now. The old name is still read, with a warning at the start. */
export const renamedSettings = {
  ADEQUACY_OFF: "EU_ADEQUACY_EXCLUDE",
  STALE_MAX: "CONFIG_MAX_STALENESS",
  RESPONSES_KEEP_DAYS: "RESPONSES_RETENTION_DAYS",
} as const satisfies Readonly<Record<string, keyof Settings>>;
