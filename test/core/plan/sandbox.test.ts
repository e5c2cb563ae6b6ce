import { describe, expect, it } from "vitest";
import { NO_SANDBOX_RULES } from "../../../src/core/plan/plan.ts";
import { parsePlan } from "../../../src/core/plan/read/parse-plan.ts";
import { renderPlan } from "../../../src/core/plan/render-plan.ts";
import { problemsOf, read, stageFrom, told, withStages } from "../../support/read-plans.ts";

function indented(block: string): string {
  return block.trim().replaceAll(/^(?=.)/gm, "  ");
}

const WHOLE = `
sandbox:
  enabled: true
  filesystem:
    deny_read: [./secrets/, "~/.ssh/**", ../../**]
    deny_write: [db/migrations/**, /etc/**]
    allow_write: docs/**
  network:
    allowed_domains: [Docs.Example.com, "*.example.org", docs.example.com]
    setup: packages.example.com:8443
    checks: [api.example.com]
  excluded_commands: [docker, npm publish]
  limits: { processes: 64, memory_mb: 2048, file_mb: 100, disk_mb: 1000 }
`;

describe("the sandbox rules of a plan", () => {
  it("are read whole, in a plan and in a stage", () => {
    const { plan, problems } = read(
      withStages(`- id: one\n  acceptance: [x]\n${indented(WHOLE)}`, `${indented(WHOLE)}\n`),
    );
    expect(problems).toEqual([]);
    expect(plan?.stages[0]?.sandbox).toEqual(plan?.sandbox);
    expect(plan?.sandbox).toMatchInlineSnapshot(`
      {
        "enabled": true,
        "excludedCommands": [
          "docker",
          "npm publish",
        ],
        "filesystem": {
          "allowWrite": [
            "docs/**",
          ],
          "denyRead": [
            "secrets",
          ],
          "denyWrite": [
            "db/migrations/**",
          ],
        },
        "limits": {
          "diskMb": 1000,
          "fileMb": 100,
          "memoryMb": 2048,
          "processes": 64,
        },
        "network": {
          "allowedDomains": [
            "docs.example.com",
            "*.example.org",
          ],
          "checks": [
            "api.example.com",
          ],
          "setup": [
            "packages.example.com:8443",
          ],
        },
      }
    `);
  });

  it("are the same in the words of other dialects", () => {
    const camel = WHOLE.replace("deny_read", "denyRead")
      .replace("deny_write", "denyWrite")
      .replace("allow_write", "allowWrite")
      .replace("allowed_domains", "allowedDomains")
      .replace("excluded_commands", "excludedCommands");
    expect(stageFrom(camel).sandbox).toEqual(stageFrom(WHOLE).sandbox);
    expect(stageFrom("sandbox: {}").sandbox).toEqual(NO_SANDBOX_RULES);
  });

  it("survive being rendered", () => {
    const { plan } = read(withStages(`- id: one\n${indented(WHOLE)}`, `${indented(WHOLE)}\n`));
    if (!plan) throw new Error("the plan is wrong");
    expect(read(renderPlan(plan), { origin: "loom" }).plan?.sandbox).toEqual(plan.sandbox);
    expect(read(renderPlan(plan), { origin: "loom" }).plan?.stages[0]?.sandbox).toEqual(plan.sandbox);
  });

  it("can't switch the sandbox off", () => {
    expect(
      problemsOf(
        withStages("- id: one\n  acceptance: [x]\n  sandbox: false", "  sandbox: { enabled: false }\n"),
      ),
    ).toMatchInlineSnapshot(`
      [
        "6 warning sandbox.enabled: A plan can't switch the sandbox off; only the operator can. | Remove it, and name what the work needs: \`network\`, \`filesystem\`.",
        "10 warning stages[0].sandbox.enabled: A plan can't switch the sandbox off; only the operator can. | Remove it, and name what the work needs: \`network\`, \`filesystem\`.",
      ]
    `);
  });

  it("have all their problems told at once", () => {
    const text = withStages(
      `- id: one
  acceptance: [x]
  sandbox:
    filesystem:
      deny_read: [-rf, ""]
      denyRead: [a]
      allow_write: [/tmp/**, ~/.cache, "!x"]
    network:
      allowed_domains: [https://example.com/x, "*", "*.com", "a b", example.com:0]
      setup: { host: a }
      checks: 5
    excluded_commands: ["a\\nb"]
    limits: { processes: 0, memory_mb: lots }
- id: two
  acceptance: [x]
  sandbox: strict
- id: three
  acceptance: [x]
  sandbox:
    filesystem:
      deny_read: [-rf, "!x"]
      denyRead: [a]
      allow_write: [/tmp/**, ~/.cache, ../up]
    network: { allowed_domains: [https://example.com/x, "*", "*.com", "a b", example.com:0] }
    excluded_commands: ["a\\nb"]
`,
    );
    expect(problemsOf(text)).toMatchInlineSnapshot(`
      [
        "11 error stages[0].sandbox.filesystem.deny_read[1]: \`deny_read\` must not be empty. | Write, for example, \`deny_read: [secrets/**]\`.",
        "16 error stages[0].sandbox.network.setup[0]: \`setup\` must be a text. | Write, for example, \`setup: [packages.example.com]\`.",
        "19 error stages[0].sandbox.limits.processes: \`processes\` must be at least 1, but is \`0\`. | Write, for example, \`processes: 256\`.",
        "19 error stages[0].sandbox.limits.memory_mb: \`memory_mb\` must be a whole number, but is \`lots\`. | Write, for example, \`memory_mb: 4096\`.",
        "22 error stages[1].sandbox: \`sandbox\` must be a mapping, but is \`strict\`. | Write, for example, \`sandbox: { network: { allowed_domains: [packages.example.com] } }\`.",
        "27 error stages[2].sandbox.filesystem.deny_read[0]: \`-rf\` begins with \`-\`. | Write a path or a glob inside the work tree, such as \`src/generated/**\`.",
        "27 error stages[2].sandbox.filesystem.deny_read[1]: \`!x\` begins with \`!\`. | Write a path or a glob inside the work tree, such as \`src/generated/**\`.",
        "28 error stages[2].sandbox.filesystem.denyRead: \`deny_read\` and \`denyRead\` mean the same. | Keep one of them.",
        "29 warning stages[2].sandbox.filesystem.allow_write[0]: \`/tmp/**\` is outside of the work tree, where agents write to their home and temporary folder only. | Remove it; until then it is passed over.",
        "29 warning stages[2].sandbox.filesystem.allow_write[1]: \`~/.cache\` is outside of the work tree, where agents write to their home and temporary folder only. | Remove it; until then it is passed over.",
        "29 warning stages[2].sandbox.filesystem.allow_write[2]: \`../up\` is outside of the work tree, where agents write to their home and temporary folder only. | Remove it; until then it is passed over.",
        "30 error stages[2].sandbox.network.allowed_domains[0]: "https://example.com/x" is an address; write the host alone, such as \`example.org\`. | Write \`packages.example.com\`, \`*.example.com\` or \`example.com:8443\`.",
        "30 error stages[2].sandbox.network.allowed_domains[1]: "*" would open the whole network; name the hosts. | Write \`packages.example.com\`, \`*.example.com\` or \`example.com:8443\`.",
        "30 error stages[2].sandbox.network.allowed_domains[2]: "*.com" would open a whole top-level domain; name the hosts. | Write \`packages.example.com\`, \`*.example.com\` or \`example.com:8443\`.",
        "30 error stages[2].sandbox.network.allowed_domains[3]: "a b" is not a host; write a name such as \`example.org\`. | Write \`packages.example.com\`, \`*.example.com\` or \`example.com:8443\`.",
        "30 error stages[2].sandbox.network.allowed_domains[4]: "example.com:0" has no usable port; ports are numbers from 1 to 65535. | Write \`packages.example.com\`, \`*.example.com\` or \`example.com:8443\`.",
        "31 error stages[2].sandbox.excluded_commands[0]: \`a b\` is not one command. | Write how it begins, such as \`npm publish\`.",
      ]
    `);
  });

  it("open nothing that is private, and say who could", () => {
    const text = withStages(
      `- id: one
  acceptance: [x]
  sandbox: { network: { allowedDomains: [a.example.com, "127.0.0.1:6379"], setup: [redis], checks: ["[::1]:80"] } }
`,
      "  sandbox: { network: { allowed_domains: [LOCALHOST:8080, metadata.google.internal] } }\n",
    );
    const { plan } = parsePlan(text, { origin: "elsewhere" });
    expect([plan?.sandbox.network, plan?.stages[0]?.sandbox.network]).toEqual([
      { allowedDomains: [], setup: [], checks: [] },
      { allowedDomains: ["a.example.com"], setup: [], checks: [] },
    ]);
    expect(problemsOf(text)).toMatchInlineSnapshot(`
      [
        "6 warning sandbox.network.allowed_domains[0]: "localhost:8080" is not on the public internet, and only Loom's operator can open such hosts. It stays closed. | Remove it; a program reaches the loopback of its own sandbox without a rule. For anything else, ask the operator to add it to LOOM_ALLOWED_DOMAINS.",
        "6 warning sandbox.network.allowed_domains[1]: "metadata.google.internal" is not on the public internet, and only Loom's operator can open such hosts. It stays closed. | Remove it; a program reaches the loopback of its own sandbox without a rule. For anything else, ask the operator to add it to LOOM_ALLOWED_DOMAINS.",
        "10 warning stages[0].sandbox.network.allowedDomains[1]: "127.0.0.1:6379" is not on the public internet, and only Loom's operator can open such hosts. It stays closed. | Remove it; a program reaches the loopback of its own sandbox without a rule. For anything else, ask the operator to add it to LOOM_ALLOWED_DOMAINS.",
        "10 warning stages[0].sandbox.network.setup[0]: "redis" is not on the public internet, and only Loom's operator can open such hosts. It stays closed. | Remove it; a program reaches the loopback of its own sandbox without a rule. For anything else, ask the operator to add it to LOOM_SETUP_DOMAINS.",
        "10 warning stages[0].sandbox.network.checks[0]: "[::1]:80" is not on the public internet, and only Loom's operator can open such hosts. It stays closed. | Remove it; a program reaches the loopback of its own sandbox without a rule. For anything else, ask the operator to add it to LOOM_CHECK_DOMAINS.",
      ]
    `);
  });

  it("have unknown keys remarked on, and refused in a plan that Loom wrote", () => {
    const text = withStages(
      "- id: one\n  acceptance: [x]\n  sandbox: { netwrk: {}, network: { allowed: [a] }, limits: { memory: 5 } }",
      "  sandbox: { autoAllowBashIfSandboxed: true, network: { allowLocalBinding: true }, filesystem: { read: [] } }\n",
    );
    expect(problemsOf(text)).toMatchInlineSnapshot(`
      [
        "6 warning sandbox.autoAllowBashIfSandboxed: Loom has no use for \`autoAllowBashIfSandboxed\`. | Remove it; until then it is passed over.",
        "6 warning sandbox.filesystem.read: Loom does not know \`read\`. | Remove it, or check how it is spelled.",
        "6 warning sandbox.network.allowLocalBinding: Loom has no use for \`allowLocalBinding\`. | Remove it; until then it is passed over.",
        "10 warning stages[0].sandbox.netwrk: Loom does not know \`netwrk\`. | Did you mean \`network\`?",
        "10 warning stages[0].sandbox.network.allowed: Loom does not know \`allowed\`. | Remove it, or check how it is spelled.",
        "10 warning stages[0].sandbox.limits.memory: Loom does not know \`memory\`. | Did you mean \`memory_mb\`?",
      ]
    `);
    expect(read(text, { origin: "loom" }).plan).toBeNull();
  });

  it("let a stage ask for less than its plan, not for more", () => {
    const { plan, problems } = read(
      withStages(
        "- id: one\n  acceptance: [x]\n  sandbox: { limits: { memory_mb: 4096, processes: 10, disk_mb: 5 } }",
        "  sandbox: { limits: { memory_mb: 1024, processes: 20 } }\n",
      ),
    );
    expect(plan).not.toBeNull();
    expect(told(problems)).toMatchInlineSnapshot(`
      [
        "10 warning stages[0].sandbox.limits.memory_mb: \`memory_mb\` of 4096 is taken as 1024, the plan's own limit. | Write 1024 or less, or raise it in the plan.",
      ]
    `);
  });

  it("are few", () => {
    const hosts = Array.from({ length: 201 }, (_, n) => `h${n}.example.com`).join(", ");
    expect(
      problemsOf(withStages(`- id: one\n  sandbox: { network: { setup: [${hosts}] } }`)),
    ).toMatchInlineSnapshot(`
      [
        "8 error stages[0].sandbox.network.setup: \`setup\` must not have more than 200 items. | Write, for example, \`setup: [packages.example.com]\`.",
      ]
    `);
  });
});

describe("a stage that investigates", () => {
  it("may change nothing and needs no proof, and is one only when it says so", () => {
    expect(problemsOf(withStages("- id: look\n  stage_type: investigate"))).toEqual([]);
    expect(stageFrom("stage_type: investigate").type).toBe("investigate");
    expect(read(withStages("- id: investigate\n  acceptance: [x]")).plan?.stages[0]?.type).toBe("standard");
  });
});
