/** What the interpreter brings along, without `test`: half of all projects have a folder of that name. */
const STANDARD = [
  "abc aifc argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii bisect builtins",
  "bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall",
  "concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime",
  "dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno faulthandler fcntl",
  "filecmp fileinput fnmatch fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib",
  "grp gzip hashlib heapq hmac html http imaplib imghdr imp importlib inspect io ipaddress itertools json",
  "keyword linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder msilib",
  "msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator optparse os",
  "ossaudiodev pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint",
  "profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline",
  "reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site smtpd",
  "smtplib sndhdr socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics",
  "string stringprep struct subprocess sunau symtable sys sysconfig syslog tabnanny tarfile telnetlib",
  "tempfile termios textwrap threading time timeit tkinter token tokenize tomllib trace traceback",
  "tracemalloc tty turtle types typing unicodedata unittest urllib uu uuid venv warnings wave weakref",
  "webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo",
  "_collections_abc _compat_pickle _compression _markupbase _py_abc _pydecimal _pyio _sitebuiltins",
  "_strptime _threading_local _weakrefset _opcode _json _csv _datetime _decimal _heapq _bisect _random",
  "_struct _pickle _ctypes _socket _ssl _hashlib _queue _asyncio _contextvars _uuid _zoneinfo _statistics",
  "_elementtree _multiprocessing _posixsubprocess _lzma _bz2 _sqlite3 _colorize _pyrepl _aix_support",
  "_osx_support _ios_support _apple_support _android_support",
];
/** What test runners are, and what they import on their part. */
const RUNNERS = [
  "pytest _pytest py pluggy iniconfig packaging exceptiongroup tomli attr attrs pygments typing_extensions",
  "coverage hypothesis mock nose nose2 xdist anyio pytest_asyncio pytest_mock pytest_cov",
];
const MODULES = new Set([...STANDARD, ...RUNNERS].flatMap((names) => names.split(" ")));

/** `difflib.py`, `difflib.cpython-312-x86_64-linux-gnu.so`, `difflib/__init__.py`. */
const MODULE = /^(\w+)(?:\.pyc?|\.(?:[\w-]+\.)?(?:so|pyd)|\/__(?:init|main)__\.pyc?)$/;

/** Folders in which Python looks for modules without being told, besides those of scripts and tests. */
const ROOTS = [".", "src", "lib", "python"];

/**
 * Whether a new file takes the place of a module that tests need (T37). Python looks in the folder that it is started in, and
 * in those of scripts and tests, before it looks at what is installed; so this holds for files right there, and a
 * `types.py` within a package is nobody's business.
 */
export function shadowsModule(path: string, folders: ReadonlySet<string>): boolean {
  return [...ROOTS, ...folders].some((folder) => {
    const below = folder === "." ? path : path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : "";
    return MODULES.has(MODULE.exec(below)?.[1] ?? "");
  });
}

/** Folders that tests of Python put on the path: those of tests that are in no package. */
export function importFolders(files: ReadonlySet<string>): Set<string> {
  const folders = new Set<string>();
  for (const path of files) {
    const folder = /^(.+)\/(?:test_[^/]*|[^/]*_test|conftest)\.py$/.exec(path)?.[1];
    if (folder !== undefined && !files.has(`${folder}/__init__.py`)) folders.add(folder);
  }
  return folders;
}
