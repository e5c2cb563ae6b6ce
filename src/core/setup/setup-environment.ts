/** Where wheels are put that phase two may need; pip itself can't install from its cache without asking the index. */
export function wheelsIn(home: string): string {
  return `${home}/.loom-wheels`;
}

/** For all of a set-up: what package managers would otherwise keep beside the tree has to be in the home. */
export function sharedEnvironment(home: string, files: readonly string[]): Readonly<Record<string, string>> {
  const usesPnpm = files.some((path) => path === "pnpm-lock.yaml" || path.endsWith("/pnpm-lock.yaml"));
  return usesPnpm ? { npm_config_store_dir: `${home}/.pnpm-store` } : {};
}

/** Tells package managers that there is no network, so that they use what is there instead of waiting for hosts. */
export function offlineEnvironment(home: string): Readonly<Record<string, string>> {
  return {
    npm_config_prefer_offline: "true",
    npm_config_fetch_retries: "0",
    npm_config_audit: "false",
    npm_config_fund: "false",
    npm_config_update_notifier: "false",
    CARGO_NET_OFFLINE: "true",
    GOPROXY: "off",
    PIP_NO_INDEX: "1",
    PIP_FIND_LINKS: wheelsIn(home),
    PIP_DISABLE_PIP_VERSION_CHECK: "1",
    UV_OFFLINE: "1",
    COMPOSER_DISABLE_NETWORK: "1",
  };
}

/**
 * For downloads, on top of what the manager itself is told. Dependencies from git repositories are prepared by running
 * their scripts, by some managers even where scripts are off: no git may fetch.
 */
export function downloadEnvironment(home: string): Readonly<Record<string, string>> {
  return {
    GIT_ALLOW_PROTOCOL: "none",
    npm_config_ignore_scripts: "true",
    npm_config_git: "/bin/false",
    npm_config_update_notifier: "false",
    YARN_ENABLE_SCRIPTS: "false",
    COREPACK_ENABLE_DOWNLOAD_PROMPT: "0",
    GOTOOLCHAIN: "local",
    GOFLAGS: "",
    GOVCS: "*:off",
    PIP_ONLY_BINARY: ":all:",
    PIP_DEST: wheelsIn(home),
    PIP_DISABLE_PIP_VERSION_CHECK: "1",
    PIP_NO_INPUT: "1",
  };
}
