// Prints what CHANGELOG.md says about the version of a tag: `node .ci/release-notes.mjs v0.2.0 [folder]`. Fails unless package.json is of
// that version and its section says something.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const [tag = "", folder = resolve(import.meta.dirname, "..")] = process.argv.slice(2);
const read = (file) => readFileSync(join(folder, file), "utf8");

const { version } = JSON.parse(read("package.json"));
if (tag !== `v${version}`)
  fail(`package.json is of version ${version}, so its tag is v${version} and not "${tag}".`);

const sections = read("CHANGELOG.md").split(/^## /m).slice(1);
const section = sections.find((one) => one.startsWith(`${version} (`));
if (!section) fail(`CHANGELOG.md has no section "## ${version} (<date>)".`);

const [title, ...lines] = section.split("\n");
if (!/ \(\d{4}-\d{2}-\d{2}\)$/.test(title)) fail(`CHANGELOG.md does not say when: "## ${title}".`);
const text = lines.join("\n").trim();
if (text === "") fail(`CHANGELOG.md says nothing about ${version}.`);
console.log(text);

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}
