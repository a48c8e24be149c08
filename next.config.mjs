/** @type {import("next").NextConfig} */
const config = {
  poweredByHeader: false,
  reactStrictMode: true,
  devIndicators: false,
  // `npm run check` runs the type checker over everything; a build needs to do it no second time.
  // Next rewrites the configuration it uses to its taste, so it has one of its own.
  typescript: { ignoreBuildErrors: true, tsconfigPath: "tsconfig.next.json" },
  experimental: {
    // Twice the default: a page needs a third fewer files and 2 % fewer bytes, ten pages together need the same.
    turbopackChunking: { minChunkSize: 100_000 },
    optimizePackageImports: [
      "@mantine/core",
      "@mantine/hooks",
      "@mantine/charts",
      "@mantine/notifications",
      "@mantine/spotlight",
    ],
  },
};

export default config;
