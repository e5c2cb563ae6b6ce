// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is shell text.
import { describe, expect, it } from "vitest";
import { createJudge, type PolicyAnswer } from "../../../src/core/policy/judge-command.ts";
import type { Judgement } from "../../../src/core/policy/judgement.ts";
import type { Policy } from "../../../src/core/policy/parse-policy.ts";
import { policyOf, shippedPolicy } from "./shipped-policy.ts";

const POLICY = shippedPolicy();

function judge(command: string, answers: readonly PolicyAnswer[] = [], policy: Policy = POLICY): Judgement {
  return createJudge(policy, answers)({ tool: "Bash", command });
}

const DENIED: Readonly<Record<string, readonly string[]>> = {
  "forced-deletion": [
    "rm -rf build",
    "rm -fr build",
    "rm -r -f build",
    "rm -f -r build",
    "rm -Rf build",
    "rm -rfv build",
    "rm build -rf",
    "rm --recursive --force build",
    "rm --rec --for build",
    "rm -r --force build",
    "/bin/rm -rf build",
    "../../bin/rm -rf build",
    "RM -rf build",
    "\\rm -rf build",
    "r''m -rf build",
    '"rm" "-rf" build',
    "rm '-rf' build",
    "$'\\x72\\155' -rf build",
    "rm${IFS}-rf${IFS}build",
    "rm$IFS-rf x; rm$IFS -rf x",
    "{rm,-rf,build}",
    "rm {-r,-f} build",
    "rm \\\n  -rf \\\n  build",
    "X=1 Y=2 rm -rf build",
    "a[1]=2 rm -rf build",
    "sudo rm -rf build",
    "sudo -u root -E X=1 rm -fr build",
    "doas rm -rf build",
    "env X=1 rm -rf build",
    "env -i -u HOME -- X=1 rm -rf build",
    "env -S 'rm -rf build'",
    "nohup rm -rf build &",
    "timeout 5 rm -rf build",
    "timeout -k 5 --signal KILL 10s rm -rf build",
    "time -p rm -rf build",
    "time rm -rf build",
    "command rm -rf build",
    "exec -a x rm -rf build",
    "nice -n 5 ionice -c2 stdbuf -oL setsid rm -rf build",
    "busybox rm -rf build",
    "xargs rm -rf < list",
    "ls | xargs -0 -n 1 rm -rf",
    "ls | xargs -I{} sh -c 'rm -rf {}'",
    "find . -name x -exec rm -rf {} +",
    "find . -exec rm -rf {} \\;",
    "find . -exec echo + {} ';' -execdir rm -rf {} ';'",
    "sh -c 'rm -rf build'",
    'bash -lc "rm -rf build"',
    "bash -o pipefail -ec 'true; rm -rf build'",
    "bash -c -x 'rm -rf build'",
    `sh -c "sh -c 'sh -c \\"rm -rf build\\"'"`,
    "eval 'rm -rf build'",
    "eval rm -rf build",
    'eval "rm -rf $x"',
    "trap 'rm -rf build' EXIT",
    "alias clean='rm -rf build'",
    "su -c 'rm -rf build' root",
    "watch -n 5 rm -rf build",
    "poetry run rm -rf build",
    "echo $(rm -rf build)",
    'echo "a $(rm -rf build) b"',
    "echo `rm -rf build`",
    "echo `echo \\`rm -rf build\\``",
    "echo ${x:-$(rm -rf build)}",
    'echo "${x:-`rm -rf build`}"',
    "${x:-rm -rf build}",
    "${x:-rm -rf} build",
    "${x:-${y-rm -rf build}}",
    "a=(x # (\n rm -rf build)",
    "x=$(rm -rf build)",
    "x=`rm -rf build` y=1",
    "cmd=(rm -rf build)",
    "diff <(rm -rf build) b",
    "(rm -rf build)",
    "((rm -rf build); true)",
    "((rm -rf build))",
    "{ rm -rf build; }",
    "if true; then rm -rf build; fi",
    "if rm -rf build; then true; fi",
    "while true; do rm -rf build; done",
    "for x in a b; do rm -rf $x; done",
    "for x in $(rm -rf build); do true; done",
    "for ((i = 0; i < 3; i++)); do rm -rf build; done",
    "case $x in a | b) rm -rf build ;; esac",
    "case $x in\n  (a) true;;\n  *) rm -rf build\nesac",
    "[[ -d x || rm -rf build ]]",
    "[[ -d build ]] && rm -rf build",
    "f() { rm -rf build; }; f",
    "function f { rm -rf build; }",
    "! rm -rf build",
    "!(rm -rf build)",
    "true & rm -rf build",
    "true && rm -rf build",
    "true || rm -rf build",
    "true |& rm -rf build",
    "true; rm -rf build",
    "true\nrm -rf build",
    "# a comment\nrm -rf build # another",
    "echo a#b; rm -rf build",
    "echo a\u00a0# ; rm -rf build",
    "echo 'a' \"b\" # 'c\nrm -rf build",
    "bash <<< 'rm -rf build'",
    "$(command -v rm) -rf build",
    "$RM -rf build",
    "$dir/rm -rf build",
    "echo $((1 + $(rm -rf build)))",
    "true) ; rm -rf build",
    "rm -rf build\r",
  ],
  "deletion-of-everything": [
    "rm -r /",
    "rm -R ~",
    "rm -r *",
    "rm --recursive .",
    "sudo rm -r /*",
    "rm -r .git",
  ],
  "discarded-changes": [
    "git reset --hard",
    "git reset --hard HEAD~1",
    "git reset HEAD --hard",
    "git -C sub reset --hard",
    "git -c a.b=c --git-dir x --no-pager reset --hard",
    "git --git-dir=x reset --har",
    "git checkout -- .",
    "git checkout HEAD -- src/a.ts",
    "git checkout .",
    "git checkout -f main",
    "git restore src/a.ts",
    "git clean -fd",
    "git clean -df",
    "git clean -xfd",
    "git clean -xdf",
    "git clean -d --force",
    "git clean -d -x -f",
    "git switch --discard-changes main",
    "/usr/bin/git reset --hard",
  ],
  "shared-stash": ["git stash", "git stash drop", "git stash clear", "git stash pop"],
  commits: ["git commit -m x", "git add -A && git commit -am 'x'", "git merge main", "git commit --amend"],
  history: [
    "git rebase -i HEAD~2",
    "git branch -D x",
    "git branch --delete --force x",
    "git update-ref -d x",
  ],
  publishing: ["git push", "git push origin HEAD --force", "cd x && git push", "gh pr create --fill"],
  "here-documents": [
    "cat <<EOF\nhello\nEOF",
    "cat <<-'EOF' > x\n\thello\n\tEOF",
    "cat << \\EOF\nEOF",
    "python3 - <<PY\nprint(1)\nPY",
    "x=$(cat <<EOF\na\nEOF\n)",
    "cat 0<<EOF\nEOF",
  ],
  disks: ["mkfs /dev/sda", "mkfs.ext4 /dev/sda1", "sudo wipefs -a /dev/sda"],
  "writing-to-disks": ["dd if=/dev/zero of=/dev/sda", "dd of=/dev/nvme0n1"],
  "machine-power": ["shutdown -h now", "sudo reboot", "init 0", "systemctl reboot"],
  "rights-of-everything": ["chmod -R 777 /", "chown --recursive me ~"],
};

const ASKED = [
  "echo a > b",
  "echo a >> b",
  "echo a >| b",
  "echo a &> b",
  "echo a &>> b",
  "echo a >& b",
  "echo a 2> errors.log",
  "echo a 2>errors.log >&2",
  "echo a {fd}> b",
  "> b",
  "npm test | tee log.txt",
  "npm test | tee -a log.txt",
  "npm test 2>&1 | sudo tee log.txt",
  "npm test > >(tee log.txt)",
  "cat < a > b",
  "cat <> b",
  "for x in a; do echo $x; done > b",
  "{ echo a; echo b; } > c",
  "(echo a) > b",
  "((echo a) > b)",
  "if true; then echo a; fi >> b",
  "bash -c 'echo a > b'",
  'echo "$(echo a > b)"',
  "echo a > $file",
  'echo a > "$dir/x"',
  "echo a > 1",
  "[ a > b ]",
];

const ALLOWED = [
  "",
  "   ",
  "# nothing",
  "ls -la",
  "npm ci && npm test",
  "npm test 2>&1 | head -50",
  "npm test > /dev/null 2>&1",
  "npm test &>/dev/null",
  "npm test >&2",
  "npm test 2>&-",
  "npm test | tee",
  "npm test | tee /dev/stderr",
  "echo a > /dev/stdout",
  "sort < list",
  "exec 3<&0",
  "grep -rn 'rm -rf' src",
  'echo "rm -rf / > x <<EOF"',
  "echo 'git push' # git push",
  "echo rm -rf x",
  "printf '%s' \"a > b\"",
  "rm file.txt",
  "rm -f file.txt",
  "rm -r build",
  "rm -- -rf",
  "git status",
  "git diff HEAD~1 -- src",
  "git log --grep commit -- push",
  "git log --oneline --all",
  "git show HEAD:src/a.ts",
  "git add -A",
  "git grep 'reset --hard'",
  "git reset HEAD file",
  "git checkout -b x",
  "git branch -a",
  "git tag",
  "git clean -nd",
  "git worktree list",
  "git -C push status",
  "command -v rm",
  "find . -name '*.pyc' -delete",
  "find . -type d -exec ls {} +",
  "dd if=a of=b",
  "dd if=a of=/dev/null",
  "chmod -R u+w build",
  "chmod +x run.sh",
  "echo $((1 << 3)) $((a > b))",
  "((a > b)) && echo yes",
  "(( x <<= 2 ))",
  "[[ $a > $b && ( -f x || -d y ) ]] && echo yes",
  "for ((i = 0; i < 3; i++)); do echo $i; done",
  "case $x in a) echo a;; esac",
  'grep x <<< "$text"',
  "awk '$1 > 3 { print }' data",
  "node -e 'if (a > b) console.log(`x`)'",
  "python3 -c 'print(1 << 3)'",
  "git log --format='%h <%ae>' | sort | uniq -c",
  "diff <(sort a) <(sort b)",
  "$PYTHON -m pytest",
  '"$(npm bin)/eslint" .',
  "shopt -s extglob; ls !(a|b)",
  "echo {a,b,c}",
  "export X=1",
  "a=1",
  "time make -j4",
  "cd packages/a && yarn build || exit 1",
  "f() { ls; }; f",
];

describe("the shipped rules", () => {
  const reasons = new Map(POLICY.rules.map((rule) => [rule.id, rule.reason]));

  it.each(Object.entries(DENIED).flatMap(([rule, commands]) => commands.map((one) => [one, rule] as const)))(
    "deny %j by %s",
    (command, rule) => {
      const judgement = judge(command);
      expect(judgement.kind).toBe("deny");
      expect(judgement.kind === "deny" && judgement.reason).toContain(reasons.get(rule));
    },
  );

  it.each(ASKED)("ask about %j", (command) => {
    expect(judge(command).kind).toBe("ask");
  });

  it.each(ALLOWED)("allow %j", (command) => {
    expect(judge(command)).toEqual({ kind: "allow" });
  });

  it("look at each of 51 chained commands", () => {
    const chain = (last: string): string =>
      [...Array.from({ length: 50 }, (_, at) => `echo ${at}`), last].join(" && ");
    expect(judge(chain("echo 50")).kind).toBe("allow");
    expect(judge(chain("git push")).kind).toBe("deny");
    expect(judge(chain("echo 50 > x")).kind).toBe("ask");
  });

  it("say what the agent can do instead", () => {
    const told = ["rm -rf build", "git commit -m x", "cat <<EOF\nx\nEOF", "echo 'x", "sh -c '"].map(
      (command) => judge(command),
    );
    expect(told).toMatchInlineSnapshot(`
      [
        {
          "kind": "deny",
          "reason": "Loom did not run \`rm -rf build\`. Deleting by force can't be undone. Remove single files with \`rm\`, or one folder that you made yourself with \`rm -r\`.",
        },
        {
          "kind": "deny",
          "reason": "Loom did not run \`git commit -m x\`. Loom makes the commit of this stage from the files as you leave them. Leave your changes uncommitted and go on.",
        },
        {
          "kind": "deny",
          "reason": "Loom did not run \`cat <<EOF\`. The shell changes what stands in a here-document (quotes, \`$\`, indentation). Write the file with your file writing tool; for a program's input, write a file and name it.",
        },
        {
          "kind": "deny",
          "reason": "Loom did not run the command: a quote, a bracket or a \`case\` in it is not closed. Close it, or run the commands one by one.",
        },
        {
          "kind": "deny",
          "reason": "Loom did not run the command: a quote, a bracket or a \`case\` in it is not closed. Close it, or run the commands one by one.",
        },
      ]
    `);
  });

  it("let tools pass that run no shell", () => {
    expect(createJudge(POLICY, [])({ tool: "Write", command: null })).toEqual({ kind: "allow" });
  });
});

describe("what can't be read", () => {
  it.each([
    ["an open quote", "echo 'a"],
    ["an open double quote", 'echo "a'],
    ["an open substitution", "echo $(ls"],
    ["an open backtick", "echo `ls"],
    ["an open brace", "echo ${x"],
    ["an open bracket", "(ls"],
    ["an open case", "case x in a) ls"],
    ["an open text inside", "sh -c 'echo \"a'"],
    ["deep nesting", `${"$(".repeat(100)}ls${")".repeat(100)}`],
    ["deep wrapping", `${"sudo ".repeat(100)}ls`],
    ["more than 20,000 characters", `echo ${"a".repeat(20_000)}`],
  ])("is denied: %s", (_, command) => {
    expect(judge(command).kind).toBe("deny");
  });

  it("is denied for what is wrong with its beginning, when that is clear", () => {
    const rule = POLICY.rules.find(({ id }) => id === "here-documents");
    const long = judge(`cat > x <<EOF\n${"text\n".repeat(10_000)}EOF`);
    expect(long.kind === "deny" && long.reason).toContain(rule?.reason);
  });

  it("is told apart for the agent", () => {
    const told = ["echo 'a", "(".repeat(100), "a".repeat(30_000)].map((command) => judge(command));
    expect(told).toMatchInlineSnapshot(`
      [
        {
          "kind": "deny",
          "reason": "Loom did not run the command: a quote, a bracket or a \`case\` in it is not closed. Close it, or run the commands one by one.",
        },
        {
          "kind": "deny",
          "reason": "Loom did not run the command: it nests too deeply. Run the commands one by one.",
        },
        {
          "kind": "deny",
          "reason": "Loom did not run the command: it is longer than 20,000 characters. Write the text to a file with your file writing tool, and keep the command short.",
        },
      ]
    `);
  });
});

describe("an answered question", () => {
  const question = (command: string): string => {
    const judgement = judge(command);
    return judgement.kind === "ask" ? judgement.question : "";
  };
  const command = "npm test > report.txt 2>&1";

  it("names the command and why it is asked", () => {
    expect(question(command)).toMatchInlineSnapshot(
      `"May the agent run \`npm test > report.txt 2>&1\`? Redirection can overwrite a file without a word. Answer yes to allow it, or say what to do instead."`,
    );
  });

  it.each(["yes", "Yes.", "y", "OK, go on", "allow", "  okay", "Approved!"])(
    "allows the command after %j",
    (answer) => {
      expect(judge(command, [{ question: question(command), answer }])).toEqual({ kind: "allow" });
    },
  );

  it.each(["no", "Never.", "use --outfile instead", "", "not yes", "12"])("denies it after %j", (answer) => {
    expect(judge(command, [{ question: question(command), answer }]).kind).toBe("deny");
  });

  it("gives the agent the person's words", () => {
    expect(
      judge(command, [{ question: question(command), answer: "No,\nuse `--outfile`\u001b[2J instead." }]),
    ).toMatchInlineSnapshot(`
      {
        "kind": "deny",
        "reason": "Loom did not run the command. A person was asked and answered: No, use \`--outfile\` instead.",
      }
    `);
  });

  it("is asked again while nobody has answered, and the last answer counts", () => {
    expect(judge(command, [{ question: question(command), answer: null }]).kind).toBe("ask");
    const twice = [
      { question: question(command), answer: "no" },
      { question: question(command), answer: "yes" },
    ];
    expect(judge(command, twice).kind).toBe("allow");
  });

  it("allows no other command", () => {
    const yes = [{ question: question(command), answer: "yes" }];
    expect(judge("npm test > other.txt 2>&1", yes).kind).toBe("ask");
    expect(judge(`${command}; git push`, yes).kind).toBe("deny");
  });

  it("allows no other command that looks the same in one line or behind the cut", () => {
    const pairs = [
      ["echo a\necho b > c", "echo a echo b > c"],
      ["echo 'a b' > c", "echo 'a  b' > c"],
      [`echo ${"a".repeat(400)}x > b`, `echo ${"a".repeat(400)}y > b`],
      ["echo a\u200b > b", "echo a > b"],
    ] as const;
    for (const [one, other] of pairs) expect(question(one)).not.toBe(question(other));
    expect(question("echo a > b\n")).toBe(question("echo a > b"));
  });

  it("shows a long command cut, with the cut counted", () => {
    expect(question(`echo ${"word ".repeat(100)}> out\necho done`)).toMatchInlineSnapshot(
      `"May the agent run \`echo word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word word …\` (220 more characters) [3db7e7fbccac3135]? Redirection can overwrite a file without a word. Answer yes to allow it, or say what to do instead."`,
    );
  });
});

describe("a policy of one's own", () => {
  const policy = policyOf(`
version: 1
otherwise: ask
rules:
  - { id: tests, decision: allow, reason: Tests are fine., commands: ["npm test", "npm run *", "ls"] }
  - { id: no-deploy, decision: deny, reason: People deploy., commands: ["npm run deploy"] }
  - { id: no-verify, decision: deny, reason: Checks stay on., arguments: ["--no-verify"] }
`);
  it.each([
    ["npm test", "allow"],
    ["npm run build", "allow"],
    ["npm run deploy", "deny"],
    ["npm run build --no-verify", "deny"],
    ["anything --no-verify", "deny"],
    ["curl example.org", "ask"],
    ["npm test && curl example.org", "ask"],
    ["env CI=1 npm test", "allow"],
    ["sh -c 'npm test; ls'", "allow"],
    ["sh -c 'npm test; curl x'", "ask"],
    ["x=1", "allow"],
    ["((x > 1)) && ls", "allow"],
  ])("judges %j as %s", (command, kind) => {
    expect(judge(command, [], policy).kind).toBe(kind);
  });

  it("says when no rule names the command", () => {
    const strict = { ...policy, otherwise: "deny" as const };
    expect([judge("curl x", [], policy), judge("curl x", [], strict)]).toMatchInlineSnapshot(`
      [
        {
          "kind": "ask",
          "question": "May the agent run \`curl x\`? The rules allow only commands that they name without asking. Answer yes to allow it, or say what to do instead.",
        },
        {
          "kind": "deny",
          "reason": "Loom did not run \`curl x\`. Its rules allow only commands that they name.",
        },
      ]
    `);
  });
});
