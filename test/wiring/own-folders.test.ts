import { userInfo } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cacheFolder, treesFolder } from "../../src/wiring/folders/cache-folder.ts";
import { homeFolder } from "../../src/wiring/folders/home-folder.ts";
import { dataFolder } from "../../src/wiring/settings/hosted-env.ts";
import { useEmptyHome } from "../support/git-repo.ts";

describe("the folders of the user", () => {
  it("are where the environment says", () => {
    expect(homeFolder({ HOME: "/home/ada" })).toBe("/home/ada");
    expect(cacheFolder({ HOME: "/home/ada" })).toBe("/home/ada/.cache/loom");
    expect(cacheFolder({ HOME: "/home/ada", XDG_CACHE_HOME: "/cache" })).toBe("/cache/loom");
    expect(treesFolder({ HOME: "/home/ada" })).toBe("/home/ada/.cache/loom/trees");
    expect(treesFolder({ LOOM_TREES: "trees" })).toBe("trees");
  });

  it.each(["", ".", "home"])("are never below the current folder: %j", (path) => {
    const home = useEmptyHome();
    expect(homeFolder({ HOME: path })).toBe(home);
    expect(cacheFolder({ HOME: path, XDG_CACHE_HOME: path })).toBe(join(home, ".cache/loom"));
    expect(dataFolder({ HOME: path, XDG_STATE_HOME: path })).toBe(join(home, ".local/state/loom"));
    process.env.HOME = path;
    expect(homeFolder({ HOME: path })).toBe(userInfo().homedir);
  });
});
