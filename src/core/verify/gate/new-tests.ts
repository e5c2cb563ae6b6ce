/** What runners of tests load by its name, all into one process. */
const COLLECTED =
  /(?:^|\/)(?:test[^/]*\.py|[^/]*_test\.(?:py|rb|exs|lua)|[^/]*_spec\.(?:rb|lua)|test_[^/]*\.rb|[^/]*Test\.php|[^/]*[._-](?:test|spec|cy)\.[cm]?[jt]sx?)$|(?:^|\/)__tests__\/.+\.[cm]?[jt]sx?$|^(?:tests?|spec)\/.+\.[cm]?[jt]sx?$/;

export function isCollectedTest(path: string): boolean {
  return COLLECTED.test(path);
}

/** Names that all tests of a process share. */
const SHARED =
  "unittest|doctest|pytest|_pytest|sys|os|builtins|operator|TestCase|assert|expect|chai|sinon|jest|vi|process|global|globalThis|console|Object|Array|Function|Promise|Reflect|Error|describe|it|test|mocha|Module|require|RSpec|Minitest|Kernel";

const SIGNS: readonly RegExp[] = [
  new RegExp(`(?:^|[^\\w.$])(?:${SHARED})(?:\\.\\w+)*\\.\\w+\\s*=(?![=>])`),
  // At the left margin it runs when the file is loaded, before any test of it.
  /^[A-Za-z_$][\w$]*(?:\.[\w$]+)+\s*=(?![=>])/m,
  /(?<!monkeypatch\.)\bsetattr\s*\(|\.prototype\.\w+\s*=(?![=>])|\bObject\.(?:assign|define\w+|setPrototypeOf)\s*\(/,
  /\bos\.(?:_exit|kill|abort)\b|\bsys\.(?:exit|modules|set\w+|meta_path|path_hooks|_getframe)\b|\batexit\b|\bfaulthandler\b/,
  /\bprocess\.(?:exit|reallyExit|abort|kill|on|once|emit|binding)\b|\brequire\.cache\b|\b_load\b|\bregisterHooks?\b/,
  /\bexec\s*\(|\beval\s*\(|\bnew Function\b|\b__import__\b|\bimportlib\b|\bglobals\s*\(|\bvars\s*\(|\bgc\.get_/,
  /\bdef pytest_\w+|\bpytest_plugins\b|autouse\s*=\s*True|\bload_tests\b|\bsetUpModule\b/,
  /\bexit!|\bat_exit\b|\b(?:class|module)_eval\b|^[^\S\r\n\u2028\u2029]*(?:class|module)\s+(?:Minitest|RSpec|Object|Kernel|Module)\b/m,
  /\bregister_shutdown_function\b|\b(?:exit|die)\s*\(/,
];

/** A test that is longer is not read, and is taken for one that reaches beyond itself. */
const MOST_CHARACTERS = 1_000_000;

/**
 * Whether a new test has the looks of one that changes what becomes of the others (T37). Signs and no proof: they only
 * decide whether the gate is worth a run without new tests, so one too many costs minutes. What hides well enough in a
 * test, and what code under test does to the process that it is loaded into, is left to those who read the change.
 */
export function reachesBeyond(text: string): boolean {
  return text.length > MOST_CHARACTERS || SIGNS.some((sign) => sign.test(text));
}

/** Whether a command asks for this very test, so that it fails without it. */
export function isAskedFor(path: string, commands: readonly string[]): boolean {
  const [stem = ""] = path.slice(path.lastIndexOf("/") + 1).split(".");
  const isPlain = /^(?:tests?|specs?|index)$/i.test(stem);
  return commands.some((text) => text.includes(path) || (!isPlain && words(text).has(stem)));
}

function words(text: string): Set<string> {
  return new Set(text.match(/[\w-]+/g));
}
