import { passedNames } from "./passed-names.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Shorter ones would blacken ordinary words. */
const SHORTEST = 8;
/** A line of a key, a certificate, or a service account. */
const SHORTEST_LINE = 16;
const LONGEST = 64 * 1024;
const MOST = 500;

/** What is called like this is secret, whatever it looks like. PWD alone is the current folder. */
const SAYS_SECRET =
  /(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|CREDS?|AUTH|(?:^|_)(?:PAT|DSN|JWT|SALT|COOKIE|PASS)|(?:DB|PG|SQL|ROOT|ADMIN|USER|SMTP|MAIL)PASS|_PWD)(?:_?(?:IDS?|\d+|OLD|NEW|B64|BASE64|HEX))?$/i;

/** Names that often hold a secret, and as often something that everybody may see. */
const HINTS_AT_SECRET =
  /(?:^|_)(?:KEYS?|TOKENS?|SECRETS?|PASSWORDS?|PASS|PWD|PAT|CREDS?|CREDENTIALS?|AUTH|DSN|CONN|CONNECTION|COOKIES?|SESSION|PRIVATE|SIGNING|WEBHOOK|SALT|BEARER|JWT|OTP|SEED|MNEMONIC|LICENSE)(?=_|\d|$)/i;
/** Of Loom itself, and of desktops and terminals. */
const HARMLESS_NAME =
  /^(?:LOOM_|XDG_|DBUS_|DESKTOP_|GNOME_|KDE_|TERM_|SESSION_MANAGER$|SSH_AUTH_SOCK$|(?:OLD)?PWD$)/i;

/**
 * All values of an environment that must not be shown.
 *
 * - A name that says secret makes any value one; in an address it is the password that counts, whatever its name.
 * - What is passed on purpose (LOOM_PASS_ENV) is a secret whatever its name: nobody lists `GH_PAT` or `MYSQL_PWD` to have it
 *   printed. But `NODE_ENV=production` and `AWS_REGION=us-east-1` are passed the same way, and to black out `production` would
 *   make every log unreadable. So a value that is made of a few plain words and numbers is left alone, as are folders and
 *   plain addresses. A passphrase of four words and more is no plain name.
 * - Names that only hint at a secret are held to the same.
 */
export function secretValues(env: Env, more: readonly string[] = []): string[] {
  const passed = new Set(passedNames(env));
  const found = Object.entries(env).flatMap(([name, value = ""]): string[] => {
    if (ARGUMENTS.test(name)) return secretsInArguments(value);
    if (SAYS_SECRET.test(name)) return [value, ...partsOf(value)];
    const suspected = passed.has(name) || (HINTS_AT_SECRET.test(name) && !HARMLESS_NAME.test(name));
    if (!suspected) return passwordsIn(value);
    return isAddress(value) ? secretsInAddress(value) : isOrdinary(value) ? [] : [value, ...partsOf(value)];
  });
  const all = [...found, ...more.flatMap((value) => [value, ...partsOf(value)])];
  return [...new Set(all)]
    .filter((value) => value.length >= SHORTEST)
    .map((value) => value.slice(0, LONGEST))
    .slice(0, MOST);
}

/** Further arguments for the programs of agents. */
const ARGUMENTS = /^LOOM_[A-Z0-9_]+_ARGS$/;
const MOST_ARGUMENT_CHARS = 16 * 1024;

/**
 * `--api-key sk-…`, `--header=Authorization: Bearer …`, `-c provider.token=…`, `KEY=…`: what stands behind a name that says or
 * hints at a secret. A value that is made of a few plain words is none, such as the `auto` of `--auth auto`. What looks
 * like a key of a known kind is found wherever it stands.
 */
function secretsInArguments(value: string): string[] {
  const words = argumentsOf(value.slice(0, MOST_ARGUMENT_CHARS));
  return words.flatMap((word, index): string[] => {
    const before = words[index - 1] ?? "";
    const isBehind = /^-{1,2}[\w.-]+$/.test(before) && !word.startsWith("-") && namesSecret(before);
    const meant = namedValue(word) ?? (isBehind ? word : null);
    // Not by its lines: an argument can be a whole script.
    if (meant === null) return [...passwordsIn(word), ...listedIn(word).filter((part) => !isOrdinary(part))];
    const bare = meant.replace(/^(?:Bearer|Basic|token)\s+/i, "");
    return isOrdinary(bare) ? [] : isAddress(bare) ? secretsInAddress(bare) : [meant, bare, ...partsOf(bare)];
  });
}

/** What stands behind a name in one word; a header is named by a flag, and names its value in turn. */
function namedValue(word: string): string | null {
  const [, name = "", value = ""] = NAMED.exec(word) ?? [];
  if (namesSecret(name)) return value;
  const [, inner = "", rest = ""] = NAMED.exec(value) ?? [];
  return namesSecret(inner) ? rest : null;
}

const NAMED = /^-{0,2}([\w.-]+)[=:]\s*(.*)$/s;

/** As Loom reads them: a list in JSON, or a command line. */
function argumentsOf(text: string): string[] {
  if (!text.trimStart().startsWith("[")) return wordsOf(text);
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.map(String) : wordsOf(text);
  } catch {
    return wordsOf(text);
  }
}

/**
 * The words of a command line, without their quotes, which may stand in the middle: `--header="X-Api-Key: …"`. It reads on
 * where a program would refuse: a secret behind an open quote is one all the same.
 */
function wordsOf(text: string): string[] {
  const words: string[] = [];
  let word: string | null = null;
  let quote: string | null = null;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (quote !== null ? char === quote : char === '"' || char === "'") {
      quote = quote === null ? char : null;
      word ??= "";
    } else if (quote === null && /\s/.test(char)) {
      if (word !== null) words.push(word);
      word = null;
    } else {
      if (char === "\\" && quote !== "'") at += 1;
      word = `${word ?? ""}${text.charAt(at)}`;
    }
  }
  return word === null ? words : [...words, word];
}

/** `--api-key`, `apiKey`, `provider.token`. */
function namesSecret(flag: string): boolean {
  const name = flag
    .replace(/^-+/, "")
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .replace(/[.-]+/g, "_")
    .replace(/authorization$/i, "AUTH");
  return SAYS_SECRET.test(name) || HINTS_AT_SECRET.test(name);
}

/** A word, an abbreviation or a short number; what is drawn at random mixes letters with digits. */
const PLAIN_PART = /^(?:[A-Za-z]?[a-z]{0,15}|[A-Z]{1,10}|[A-Za-z]{1,8}\d{1,2}|\d{1,5})$/;
const WORD = /^[A-Za-z]{3}/;
const MOST_PARTS = 5;
const MOST_WORDS = 3;

/** `production`, `us-east-1`, `20.11.1`, `true`, `/usr/lib/jvm`. */
function isOrdinary(value: string): boolean {
  const parts = value.split(/[^A-Za-z0-9]+/).filter((part) => part !== "");
  const isPlain = parts.every((part) => PLAIN_PART.test(part));
  if (/^(?:~?\/|[A-Za-z]:\\|\.{1,2}\/)/.test(value)) return isPlain || !/\s|[^\w./\\:~@+-]/.test(value);
  const words = parts.filter((part) => WORD.test(part));
  const isShort = parts.length <= MOST_PARTS && words.length <= MOST_WORDS;
  return isPlain && isShort && !/[^\w.,:/ +@=-]/.test(value);
}

function isAddress(value: string): boolean {
  return /^[a-z][a-z\d+.-]*:\/\//i.test(value) && !/\s/.test(value);
}

/** Its password, and what was drawn at random in its path or query, as in the address of a webhook. */
function secretsInAddress(address: string): string[] {
  const [, rest = ""] = address.split(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i);
  const random = rest.split(/[/?#&=]/).filter((part) => part.length >= SHORTEST && !isOrdinary(part));
  return [...passwordsIn(address), ...random.flatMap(asMeant)];
}

/** Such as redis://user:password@host. */
const PASSWORD_IN_ADDRESS = /^[a-z][a-z\d+.-]*:\/\/[^:@/?#]*:([^@/?#]+)@/i;

function passwordsIn(address: string): string[] {
  const password = PASSWORD_IN_ADDRESS.exec(address)?.[1];
  return password === undefined ? [] : asMeant(password);
}

/** As it is written in the address, and as it is meant. */
function asMeant(part: string): string[] {
  try {
    return [part, decodeURIComponent(part)];
  } catch {
    return [part];
  }
}

const PASSWORD_IN_LIST =
  /(?:password|passwd|pwd|pass|accountkey|accesskey|key|secret|token|signature|sig)\s*=\s*([^;,&\s"']+)/gi;

function listedIn(text: string): string[] {
  return [...text.matchAll(PASSWORD_IN_LIST)].map((match) => match[1] ?? "");
}

/** A long secret comes out in pieces: by its lines, by the fields of its JSON, by the entries of a connection string. */
function partsOf(value: string): string[] {
  const short = value.slice(0, LONGEST);
  const lines = short.split(/\\n|[\r\n]+/);
  return [
    ...(lines.length > 1
      ? lines.map((line) => line.trim()).filter((line) => line.length >= SHORTEST_LINE)
      : []),
    ...listedIn(short),
    ...passwordsIn(short),
    ...textsInJson(short).filter((text) => !isOrdinary(text) && !isAddress(text)),
  ];
}

function textsInJson(value: string): string[] {
  if (!value.trimStart().startsWith("{")) return [];
  try {
    return Object.values(JSON.parse(value) as object).filter((one) => typeof one === "string");
  } catch {
    return [];
  }
}
