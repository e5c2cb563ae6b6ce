import { describe, expect, it } from "vitest";
import { findStub } from "../../../src/core/verify/find-stub.ts";
import { quickly } from "../../support/quickly.ts";

const stubs: [path: string, text: string][] = [
  ["src/a.ts", ""],
  ["src/a.ts", " \n\t\n"],
  ["src/a.ts", "// The login, one day.\n/* nothing\n yet */\n"],
  ["src/a.ts", 'export function login() {\n  throw new Error("not implemented");\n}\n'],
  ["src/a.ts", 'export const login = async () => { throw new Error("TODO: log in"); };\n'],
  [
    "src/a.ts",
    'import { User } from "./user.ts";\n\nexport async function login(\n  name: string,\n  word: string,\n): Promise<User> {\n  // TODO: implement\n}\n\nexport function logout(): void {}\n',
  ],
  ["src/a.js", "function login() {\n  return null; // stub\n}\nmodule.exports = { login };\n"],
  [
    "src/a.js",
    'const x = require("x");\nfunction a() { throw new Error("Not implemented yet"); }\nexport { a };\n',
  ],
  ["src/a.tsx", "export default function App() {\n  return <div>TODO</div>;\n}\n"],
  ["src/empty.ts", "export function login(): void {}\n"],
  ["a.py", "def login():\n    pass\n\n\ndef logout():\n    ...\n"],
  [
    "a.py",
    'from os import path\n\n\ndef login(name: str) -> bool:\n    """Logs in."""\n    raise NotImplementedError\n',
  ],
  ["a.py", "def login(name): pass\n"],
  ["a.py", '"""Only words."""\n# and a comment\n'],
  ["src/lib.rs", "use std::{fs, io};\n\npub fn login(name: &str) -> io::Result<()> {\n    todo!()\n}\n"],
  [
    "src/lib.rs",
    'pub struct Store;\n\nimpl Store {\n    pub fn get(&self) -> u8 { unimplemented!("later") }\n}\n',
  ],
  [
    "main.go",
    'package main\n\nimport "errors"\n\nfunc Login() error {\n\treturn errors.New("not implemented")\n}\n',
  ],
  ["main.go", 'package main\n\nfunc main() {\n\tpanic("not implemented")\n}\n'],
  ["run.sh", '#!/bin/sh\nset -e\n# the deploy\necho "TODO"\nexit 0\n'],
  [
    "A.java",
    "package a;\n\npublic class A {\n  public int b() {\n    // TODO Auto-generated method stub\n    return 0;\n  }\n}\n",
  ],
  ["a.css", "/* styles go here */\n"],
  ["docs/api.md", "# API\n\n## Login\n"],
  ["docs/api.md", "# API\n\nTODO: describe the API\n\n- TBD\n"],
  ["docs/api.md", "<!-- write me -->\n"],
  ["data.json", '{ "name": "TODO", "items": ["TBD"] }'],
  ["notes.txt", "TODO\n"],
];

const real: [path: string, text: string][] = [
  [
    "src/todo.ts",
    'import { db } from "./db.ts";\n\n// TODO: page the results\nexport function todos(user: string) {\n  if (!user) throw new Error("no user");\n  return db.list("todo", user);\n}\n',
  ],
  ["src/add.ts", "export const add = (a: number, b: number): number => a + b;\n"],
  ["src/index.ts", '// TODO: export the rest\nexport * from "./a.ts";\nexport { b } from "./b.ts";\n'],
  ["src/types.ts", "/** TODO: split */\nexport interface User {\n  name: string;\n  age: number;\n}\n"],
  ["src/flag.ts", "export function isOn(): boolean {\n  return false;\n}\n"],
  ["src/errors.ts", "export class Missing extends Error {}\n"],
  [
    "src/shapes.ts",
    'export abstract class Shape {\n  area(): number {\n    throw new Error("not implemented");\n  }\n}\n',
  ],
  [
    "src/router.ts",
    'const routes = new Map();\nexport function route(path) {\n  const found = routes.get(path);\n  if (found) return found();\n  if (path === "/later") throw new Error("not implemented");\n  return null;\n}\n',
  ],
  ["src/url.js", 'export const HOME = "https://example.org//TODO";\n'],
  ["errors.py", "class Missing(Exception):\n    pass\n\n\nclass Taken(Exception): pass\n"],
  ["pkg/__init__.py", ""],
  [
    "shape.py",
    "from abc import ABC, abstractmethod\n\n\nclass Shape(ABC):\n    @abstractmethod\n    def area(self):\n        raise NotImplementedError\n",
  ],
  ["a.py", '# TODO: faster\ndef double(x):\n    """Twice."""\n    return x * 2\n'],
  ["a.py", "def safe(f):\n    try:\n        return f()\n    except OSError:\n        pass\n"],
  [
    "src/main.rs",
    'mod auth;\n\nfn main() {\n    // TODO: arguments\n    println!("{}", auth::login("a"));\n}\n',
  ],
  ["cli.py", "from .app import main\n\nif __name__ == '__main__':\n    main()\n"],
  ["port.py", "class BaseReporter:\n    def starting(self):\n        pass\n"],
  ["env.d.ts", '/// <reference types="vite/client" />\n'],
  ["src/mod.rs", "// TODO: more\npub mod a;\npub mod b;\n"],
  ["main.go", 'package main\n\nimport "fmt"\n\nfunc main() {\n\t// TODO: flags\n\tfmt.Println("hello")\n}\n'],
  ["todo.go", "package todo\n\nfunc Add(s []string, t string) []string {\n\treturn append(s, t)\n}\n"],
  ["todo.sh", '#!/bin/sh\necho "usage: todo add TEXT"\n'],
  ["run.sh", "#!/bin/sh\nset -e\n# TODO: retries\nnpm run build\nrsync -a dist/ host:/srv\n"],
  ["a.css", "/* TODO: dark */\nbody {\n  color: black;\n}\n"],
  ["README.md", "# Tool\n\nIt counts words.\n\n## TODO\n\n- TODO: windows\n"],
  ["TODO.md", "# TODO\n\n- buy milk\n- call Ada\n"],
  ["data.json", "[]"],
  ["package.json", '{ "name": "placeholder", "version": "1.0.0", "private": true }'],
  ["broken.json", "{ TODO"],
  ["config.yaml", "# all defaults\n"],
  [".gitkeep", ""],
  ["logo.png", "\0PNG"],
  ["Makefile", "# TODO\nall:\n\tcc a.c\n"],
];

describe("findStub", () => {
  it.each(stubs)("sees through %s: %j", (path, text) => {
    expect(findStub(path, text)).not.toBeNull();
  });

  it.each(real)("takes %s for real: %j", (path, text) => {
    expect(findStub(path, text)).toBeNull();
  });

  it("says what is wrong and where", () => {
    expect(stubs.map(([path, text]) => `${path} ${findStub(path, text)}`)).toMatchInlineSnapshot(`
      [
        "src/a.ts is empty",
        "src/a.ts is empty",
        "src/a.ts holds only comments",
        "src/a.ts holds hardly more than \`throw new Error("not implemented")\` (line 2)",
        "src/a.ts holds hardly more than \`throw new Error("TODO: log in")\` (line 1)",
        "src/a.ts holds hardly more than \`// TODO: implement\` (line 7)",
        "src/a.js holds hardly more than \`// stub\` (line 2)",
        "src/a.js holds hardly more than \`throw new Error("Not implemented yet")\` (line 2)",
        "src/a.tsx holds hardly more than \`return <div>TODO</div>\` (line 2)",
        "src/empty.ts holds only functions without a body",
        "a.py holds hardly more than \`pass\` (line 2)",
        "a.py holds hardly more than \`raise NotImplementedError\` (line 6)",
        "a.py holds hardly more than \`pass\` (line 1)",
        "a.py holds only comments",
        "src/lib.rs holds hardly more than \`todo!()\` (line 4)",
        "src/lib.rs holds hardly more than \`unimplemented!("later")\` (line 4)",
        "main.go holds hardly more than \`return errors.New("not implemented")\` (line 6)",
        "main.go holds hardly more than \`panic("not implemented")\` (line 4)",
        "run.sh holds hardly more than \`echo "TODO"\` (line 4)",
        "A.java holds hardly more than \`// TODO Auto-generated method stub\` (line 5)",
        "a.css holds only comments",
        "docs/api.md has headings and no text",
        "docs/api.md holds hardly more than \`TODO: describe the API\`",
        "docs/api.md holds only comments",
        "data.json holds hardly more than \`TBD\`",
        "notes.txt is a placeholder",
      ]
    `);
  });

  it("answers at once on text made to be slow", () => {
    const parts = ["<!--", "/*", '"""', "`", "throw ", "export {", '"\\', "TODO ", "\n// TODO", "[[", "((("];
    for (const part of parts)
      for (const path of ["a.ts", "a.py", "a.md", "a.json", "a.txt"]) {
        const text = part.repeat(300_000 / part.length);
        quickly(2_000, () => findStub(path, text), `${path}: ${part}`);
      }
  });
});
