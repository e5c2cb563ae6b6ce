import { readdir } from "node:fs/promises";

// All in this process: `node --test` starts one for each file.
for (const name of (await readdir("test")).sort())
  if (name.endsWith(".test.js")) await import(`./test/${name}`);
