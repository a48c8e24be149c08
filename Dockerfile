# The base image contains Node 26, so the pinned npm package is removed with the development packages.
FROM node:26-bookworm-slim AS build
WORKDIR /app
COPY . .
RUN node scripts/setup.mjs --build
# Optional packages are compilers and image tools for the build; nothing loads them at run time.
RUN npm prune --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund
# Source maps, declarations, documentation for tools, and the database client's compilers for other databases.
RUN rm -rf node_modules/.cache .next/cache .next/types node_modules/next/dist/docs \
 && find node_modules .next -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete \
 && find node_modules/@prisma/client/runtime -name 'query_compiler_*' ! -name '*postgresql*' -delete

FROM node:26-bookworm-slim
WORKDIR /app
COPY --from=build /app/package.json /app/next.config.mjs ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/prisma ./prisma
COPY --from=build /app/.next ./.next
COPY --from=build /app/.server ./.server
COPY --from=build /app/docs ./docs
COPY --from=build /app/CHANGELOG.md /app/CONTRIBUTING.md /app/SECURITY.md ./
COPY --from=build /app/scripts ./scripts
COPY --from=build /app/src ./src
RUN mkdir /data && chown node:node /data
USER node
# Everything is installed and built, so commands start at once.
ENV PORTOLAN_PREPARED=true
# As scripts/setup/server-flags.mjs has it, like the flags below.
ENV MALLOC_ARENA_MAX=2 MALLOC_TRIM_THRESHOLD_=131072
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=64", "--semi-space-growth-factor=16", "--no-memory-reducer", ".server/main.mjs"]
