# One image for `loom app` and `loom worker`. No secret is baked in: they come from the environment when it starts.
FROM node:20.20-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# Scripts stay off: `prepare` would build before the sources are here, and nothing else needs one.
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build \
 && npm prune --omit=dev --ignore-scripts

FROM node:20.20-bookworm-slim
# git for work trees; bubblewrap for the rooms that agents and checks run in.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends bubblewrap ca-certificates git procps \
 && rm -rf /var/lib/apt/lists/* \
 && mkdir /data /config \
 && chown node:node /data /config
# The CLIs of agents, in the versions that Loom is tested with, each file held against the hash in `agents/<name>/package-lock.json`.
# No script of theirs runs but the one that `finish` names. Each takes 100 to 440 MB, so an image has only those it is asked
# for: docker build --build-arg AGENTS="claude codex gemini opencode" .
ARG AGENTS=""
COPY --from=build /app/agents /opt/agents
RUN for agent in $AGENTS; do \
      case $agent in \
        claude|codex|gemini|opencode) ;; \
        *) echo "AGENTS names $agent, which is none of claude, codex, gemini and opencode." >&2; exit 1 ;; \
      esac; \
      cd "/opt/agents/$agent" \
      && npm ci --ignore-scripts --no-audit --no-fund \
      && npm run --if-present finish \
      && ln -s "/opt/agents/$agent/node_modules/.bin/$agent" "/usr/local/bin/$agent" \
      && "$agent" --version || exit 1; \
    done \
 && npm cache clean --force
WORKDIR /app
# Owned by root: Loom can't change its own program.
COPY --from=build /app/package.json /app/app.yml /app/LICENSE ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist/src ./dist/src
COPY --from=build /app/prompts ./prompts
COPY --from=build /app/policies ./policies

# In a container the published port decides who may come in. What the set-up registers is kept in LOOM_ENV_FILE.
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000 \
    LOOM_DATA=/data \
    LOOM_ENV_FILE=/config/loom.env
VOLUME ["/data", "/config"]
EXPOSE 3000
USER node
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.LOOM_PORT || process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# node itself is process 1 and handles SIGTERM; compose.yaml adds an init that reaps what agents leave behind.
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "dist/src/cli/main.js"]
CMD ["app"]
