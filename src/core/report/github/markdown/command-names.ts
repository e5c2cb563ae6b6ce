import type { StageId } from "../../../ids.ts";
import { code } from "../../../markdown/escape-markdown.ts";
import { shortSha } from "../../terminal/run-counts.ts";

/** The commands that people are told to write, spelled in one place and always as code: no text of Loom's commands Loom. */
export const commandNames = {
  run: () => "`/loom run`",
  plan: () => "`/loom plan`",
  approve: (sha: string | null) => code(sha === null ? "/loom approve" : `/loom approve ${shortSha(sha)}`),
  status: () => "`/loom status`",
  retry: (stage: StageId | null) => code(stage === null ? "/loom retry" : `/loom retry ${stage}`),
  skip: (stage: StageId) => code(`/loom skip ${stage}`),
  pause: () => "`/loom pause`",
  resume: () => "`/loom resume`",
  cancel: () => "`/loom cancel`",
  take: (stage: StageId) => code(`/loom take ${stage}`),
  answer: (stage: StageId) => code(`/loom answer ${stage} …`),
  archive: () => "`/loom archive`",
  help: () => "`/loom help`",
};
