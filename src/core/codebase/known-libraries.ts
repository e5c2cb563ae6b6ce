import { table } from "../table.ts";

/** Names by which people know what manifests call otherwise, by what it does in a project. */
type Label = {
  readonly label: string;
  readonly kind: "framework" | "runner" | "linter" | "formatter" | "types";
};

const FRAMEWORKS: Readonly<Record<string, string>> = table({
  React: "react",
  "React Native": "react-native",
  "Next.js": "next",
  Remix: "@remix-run/react",
  Vue: "vue",
  Nuxt: "nuxt",
  Svelte: "svelte",
  SvelteKit: "@sveltejs/kit",
  Angular: "@angular/core",
  Solid: "solid-js",
  Astro: "astro",
  Express: "express",
  Fastify: "fastify",
  Hono: "hono",
  Koa: "koa",
  NestJS: "@nestjs/core",
  Electron: "electron",
  Probot: "probot",
  Prisma: "prisma @prisma/client",
  "Tailwind CSS": "tailwindcss",
  Django: "django",
  Flask: "flask",
  FastAPI: "fastapi",
  Starlette: "starlette",
  SQLAlchemy: "sqlalchemy",
  Celery: "celery",
  PyTorch: "torch",
  TensorFlow: "tensorflow",
  pandas: "pandas",
  NumPy: "numpy",
  Axum: "axum",
  "Actix Web": "actix-web",
  Rocket: "rocket",
  Tokio: "tokio",
  Bevy: "bevy",
  Tauri: "tauri",
  Gin: "github.com/gin-gonic/gin",
  Echo: "github.com/labstack/echo/v4",
  Fiber: "github.com/gofiber/fiber/v2",
  chi: "github.com/go-chi/chi/v5",
  Cobra: "github.com/spf13/cobra",
  GORM: "gorm.io/gorm",
  Rails: "rails",
  Sinatra: "sinatra",
  "Spring Boot":
    "spring-boot-starter spring-boot-starter-parent spring-boot-starter-web org.springframework.boot",
  Quarkus: "quarkus-core quarkus-bom",
  Micronaut: "micronaut-core",
  Laravel: "laravel/framework",
  Symfony: "symfony/framework-bundle symfony/symfony",
  Flutter: "flutter",
  Phoenix: "phoenix",
});
const RUNNERS: Readonly<Record<string, string>> = table({
  Vitest: "vitest",
  Jest: "jest",
  Mocha: "mocha",
  AVA: "ava",
  Playwright: "@playwright/test playwright",
  Cypress: "cypress",
  pytest: "pytest",
  Hypothesis: "hypothesis",
  "fast-check": "fast-check",
  RSpec: "rspec rspec-rails",
  Minitest: "minitest",
  JUnit: "junit junit-jupiter junit-jupiter-api",
  TestNG: "testng",
  PHPUnit: "phpunit/phpunit",
  Pest: "pestphp/pest",
  xUnit: "xunit",
  NUnit: "nunit",
  Testify: "github.com/stretchr/testify",
});
const LINTERS: Readonly<Record<string, string>> = table({
  Biome: "@biomejs/biome",
  ESLint: "eslint",
  Ruff: "ruff",
  Flake8: "flake8",
  Pylint: "pylint",
  RuboCop: "rubocop",
  PHPStan: "phpstan/phpstan",
});
const FORMATTERS: Readonly<Record<string, string>> = table({
  Biome: "@biomejs/biome",
  Prettier: "prettier",
  Black: "black",
  isort: "isort",
  Ruff: "ruff",
});
const TYPES: Readonly<Record<string, string>> = table({
  TypeScript: "typescript",
  mypy: "mypy",
  Pyright: "pyright",
});

const BY_NAME: ReadonlyMap<string, readonly Label[]> = collect();

function collect(): Map<string, Label[]> {
  const found = new Map<string, Label[]>();
  const take = (kind: Label["kind"], table: Readonly<Record<string, string>>): void => {
    for (const [label, names] of Object.entries(table)) {
      for (const name of names.split(" ")) found.set(name, [...(found.get(name) ?? []), { label, kind }]);
    }
  };
  take("framework", FRAMEWORKS);
  take("runner", RUNNERS);
  take("linter", LINTERS);
  take("formatter", FORMATTERS);
  take("types", TYPES);
  return found;
}

export function labelsOf(libraries: Iterable<string>, kind: Label["kind"]): string[] {
  const labels = new Set<string>();
  for (const name of libraries) {
    for (const one of BY_NAME.get(name.toLowerCase()) ?? []) if (one.kind === kind) labels.add(one.label);
  }
  return [...labels].sort();
}
