import { extensionOf, sourceLanguage } from "../source-language.ts";
import { isTestFile } from "./is-test-file.ts";

const SHELL = /^(?:ba|z|k|da)?sh$|^bats$/;
/** Folders of what a project is checked and built with. */
const TOOL_FOLDERS =
  /^\.?(?:scripts?|tools?|tooling|ci|hack|checks?|gates?|lint|qa|quality|verify|verification|devtools|dev-tools|\.github|\.circleci)$/i;
const TOOL_NAME =
  /(?:^|[._-])(?:check(?:s|er)?|verify|validate|assert(?:ions?)?|expect(?:ations?|ed)?|helpers?|runner|harness|gate|lint|golden|smoke|fixtures?|mocks?|ci)(?:[._-]|$)/i;
const EXPECTED =
  /(?:^|[._/-])(?:golden|goldens|expected|expectations?|snapshots?|baselines?|approved|reference-outputs?)(?:[._/-]|$)/i;
/** Text for people; a gate seldom compares with it, and stages write it all the time. */
const PROSE = /\.(?:md|mdx|markdown|rst|adoc)$|^(?:.*\/)?(?:license|changelog|readme|notice|authors)[^/]*$/i;

/**
 * Whether a file could be what the gate is there to prove. To set such a file back would hide that it is broken, so what the
 * gate reaches by roundabout ways is only set back when it can't be: it is a script of the shell, lies among tools or
 * tests, or is neither program text nor written for people.
 */
export function couldBeUnderTest(path: string): boolean {
  if (PROSE.test(path)) return true;
  if (sourceLanguage(path) === null || isShellScript(path)) return false;
  const folders = path.split("/");
  const name = folders.pop() ?? "";
  return !isTestFile(path) && !TOOL_NAME.test(name) && !folders.some((folder) => TOOL_FOLDERS.test(folder));
}

export function isToolFolder(folder: string): boolean {
  return TOOL_FOLDERS.test(folder.slice(folder.lastIndexOf("/") + 1));
}

export function isShellScript(path: string): boolean {
  return SHELL.test(extensionOf(path));
}

/** Data that is called an expectation, whoever reads it. */
export function isExpectation(path: string): boolean {
  return EXPECTED.test(path) && sourceLanguage(path) === null && !PROSE.test(path);
}

const SOURCE_FOLDERS =
  /^(?:src|lib|libs|app|apps|source|sources|pkg|packages|internal|cmd|bin|server|client|core|api|web|www|public|modules?)$/i;

/** Whether what a script loads from its own folder is part of it: not where the folder is a project's, or holds its sources. */
export function isBeside(script: string, path: string, isProject: (folder: string) => boolean): boolean {
  const folder = script.slice(0, Math.max(0, script.lastIndexOf("/")));
  if (folder === "" || !path.startsWith(`${folder}/`) || isProject(folder)) return false;
  return !folder.split("/").some((part) => SOURCE_FOLDERS.test(part));
}
