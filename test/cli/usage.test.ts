import { describe, expect, it } from "vitest";
import { tempFolder } from "../support/git-repo.ts";
import { askLoom } from "../support/loom-cli.ts";

async function ask(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await askLoom(args, { cwd: tempFolder() });
  return `$ loom ${args.join(" ")}\n${stdout}${stderr}=> ${code}\n`;
}

describe("the command line", () => {
  it("explains itself", async () => {
    expect(await ask("--help")).toMatchInlineSnapshot(`
      "$ loom --help
      Usage: loom [options] [command]

      Runs a plan of stages with coding agents in git work trees, proves each stage
      and merges it. \`loom app\` does so for GitHub.

      Options:
        -V, --version                          output the version number
        -h, --help                             display help for command

      Commands:
        plan                                   work with plans
        orchestrate [options] <goal...>        have a plan written for a goal, read it, and run it once you say yes
        review [options] [words...]            review the change of this branch, or the whole repository; the agent only reads
        debug [options] [words...]             look for the cause of a bug in the code; the agent only reads
        security-audit [options] [words...]    look for weaknesses that could be used against it; the agent only reads
        perf-check [options] [words...]        look for what makes it slow; the agent only reads
        seo-audit [options] [words...]         look for what search engines miss in its pages; the agent only reads
        a11y-audit [options] [words...]        look for what keeps people out of its pages; the agent only reads
        compliance-check [options] [words...]  look at licences, privacy and rules; the agent only reads
        ask [options] [words...]               have a question answered from the code; the agent only reads
        run|execute [options] <file>           run a plan to the end in this repository
        status [options] [run]                 show a run, the newest when none is named
        runs [options]                         list the runs of this repository
        logs <run> [stage]                     show what the agents wrote
        report [options] [run]                 write a run as an HTML page, the newest when none is named
        resume [options] [run]                 go on with a run, the newest open one when none is named
        retry [options] <run> <stage>          give a blocked stage another set of attempts
        skip [options] <run> <stage>           leave a stage out; what depends on it goes on
        answer [options] <run> <stage> <text>  answer the question a stage has asked
        cancel [options] <run>                 end a run; what is merged stays merged
        archive <run>                          archive an ended run; its record stays
        clean <run>                            forget a run that has ended; what it merged stays
        doctor [options]                       say what is missing on this machine and in this repository
        drill [options]                        play a hostile agent's attacks against this installation
        map [options]                          show what the files of this repository tell about it, as planners see it
        settings [options]                     show every setting and where its value comes from
        app                                    take GitHub's webhooks; without REDIS_URL it runs the agents as well
        worker                                 run agents for an App that shares its Redis
        help [command]                         display help for command
      => 0
      "
    `);
    expect(await ask("run", "--help")).toMatchInlineSnapshot(`
      "$ loom run --help
      Usage: loom run|execute [options] <file>

      run a plan to the end in this repository

      Arguments:
        file                the plan

      Options:
        --into <branch>     merge into this branch instead of the current one
        --harness <name>    use this agent for every stage, whatever the plan says
        --max-parallel <n>  agents at a time
        --clean             start over, forgetting an earlier run of this plan
        --json              print one event per line
        -h, --help          display help for command

      Agents:
        claude, codex, gemini, opencode
                            the CLIs of these names; \`loom doctor\` says what each needs
        command             the program that LOOM_COMMAND_BIN names, with the arguments in
                            LOOM_COMMAND_ARGS; it works in the current folder and reads its
                            task from standard input
        scripted            follows the file that LOOM_SCRIPT names; no model is at work

      Exit codes: 0 completed, 1 failed or blocked, 2 wrong usage, 130 interrupted.

      => 0
      "
    `);
    expect(await ask("--version")).toMatch(/^\$ loom --version\n\d+\.\d+\.\d+\n=> 0\n$/);
  });

  it("answers wrong usage with exit code 2 and a hint", async () => {
    const answers = [
      await ask("rnu", "PLAN.md"),
      await ask("statsu"),
      await ask("plan", "chekc"),
      await ask("run"),
      await ask("run", "PLAN.md", "--hraness", "command"),
      await ask("run", "PLAN.md", "--max-parallel", "none"),
      await ask("retry", "run-only"),
      await ask("logs"),
    ];
    expect(answers.join("\n")).toMatchInlineSnapshot(`
      "$ loom rnu PLAN.md
      error: unknown command 'rnu'
      (Did you mean run?)
      Add --help to see how it is used.
      => 2

      $ loom statsu
      error: unknown command 'statsu'
      (Did you mean status?)
      Add --help to see how it is used.
      => 2

      $ loom plan chekc
      error: unknown command 'chekc'
      (Did you mean check?)
      Add --help to see how it is used.
      => 2

      $ loom run
      error: missing required argument 'file'
      Add --help to see how it is used.
      => 2

      $ loom run PLAN.md --hraness command
      error: unknown option '--hraness'
      (Did you mean --harness?)
      Add --help to see how it is used.
      => 2

      $ loom run PLAN.md --max-parallel none
      error: option '--max-parallel <n>' argument 'none' is invalid. It has to be a whole number of at least 1.
      Add --help to see how it is used.
      => 2

      $ loom retry run-only
      error: missing required argument 'stage'
      Add --help to see how it is used.
      => 2

      $ loom logs
      error: missing required argument 'run'
      Add --help to see how it is used.
      => 2
      "
    `);
    expect(await ask()).toMatch(/^\$ loom \nUsage: loom [\s\S]*=> 2\n$/);
  });

  it("says in one sentence that a repository is needed, whatever the command", async () => {
    const commands = [
      ["status"],
      ["runs"],
      ["logs", "x"],
      ["resume"],
      ["retry", "x", "y"],
      ["skip", "x", "y"],
      ["answer", "x", "y", "z"],
      ["cancel", "x"],
      ["archive", "x"],
      ["clean", "x"],
    ];
    for (const command of commands) {
      const answer = await ask(...command);
      expect(answer).toMatch(
        /^\$ loom .*\nloom: \S+ is not in a git repository\.\n {6}Change to .*\n=> 1\n$/,
      );
    }
  });
});
