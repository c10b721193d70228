# Everything a fresh machine needs is set up by these targets: Go, git, make and,
# for the page and the TypeScript client, Node 20 or later are enough to begin with.

GO       ?= go
ARGS     ?=
SOAK     ?= 100
FUZZTIME ?= 60s

.PHONY: run build test check race ts web web-test generate format vet lint bench soak fuzz clean

# Start the server on the embedded defaults; its address is printed. Options go
# in ARGS: make run ARGS="--listen 127.0.0.1:8000".
run: build
	./bin/parley serve $(ARGS)

build:
	$(GO) build -trimpath -o bin/parley ./cmd/parley

# Everything CI runs.
test: check

check: format vet race ts web-test

# The race detector needs a C compiler; install one if we may.
race: .cache/mcp/node_modules/.package-lock.json
	@./scripts/cc.sh
	@./scripts/programs.sh
	MCP_TEST_SERVERS=$(CURDIR)/.cache/mcp $(GO) test -race -timeout 15m $$($(GO) list ./... | grep -v /conformance)
	$(GO) test -count=1 -timeout 15m ./conformance # it builds the program itself: a cached result would say nothing

# The TypeScript client: types, build, and tests against the real program. What
# it needs is installed again only when the lock file has changed.
ts: clients/ts/node_modules/.package-lock.json
	cd clients/ts && npm run --silent check && npm run --silent build && npm test --silent

clients/ts/node_modules/.package-lock.json: clients/ts/package-lock.json
	@command -v npm >/dev/null || { echo "the TypeScript client needs Node 20 or later: see https://nodejs.org"; exit 1; }
	cd clients/ts && npm ci --prefer-offline >/dev/null && touch node_modules/.package-lock.json

# The page. What is built of it is part of the repository: the program embeds it,
# and go install needs no Node.
web: web/node_modules/.package-lock.json clients/ts/dist/index.js
	cd web && npm run --silent build

# Types, the parts alone, whether the built files are those of the sources, and
# everything in a real browser against the real program.
web-test: web/node_modules/.package-lock.json clients/ts/dist/index.js
	@./scripts/browser.sh
	cd web && npm run --silent check && npm test --silent
	@./scripts/web-fresh.sh
	cd web && npm run --silent browser

web/node_modules/.package-lock.json: web/package-lock.json
	@command -v npm >/dev/null || { echo "the page needs Node 20 or later to be built: see https://nodejs.org"; exit 1; }
	cd web && npm ci --prefer-offline --loglevel=error >/dev/null && touch node_modules/.package-lock.json

clients/ts/dist/index.js: clients/ts/node_modules/.package-lock.json $(wildcard clients/ts/src/*.ts clients/ts/src/*/*.ts)
	cd clients/ts && npm run --silent build

# MCP servers of others, for the tests of tool/mcp.
.cache/mcp/node_modules/.package-lock.json: tool/mcp/testdata/servers/package-lock.json
	@command -v npm >/dev/null || { echo "the tests need Node 20 or later: see https://nodejs.org"; exit 1; }
	@mkdir -p .cache/mcp && cp tool/mcp/testdata/servers/package.json tool/mcp/testdata/servers/package-lock.json .cache/mcp
	cd .cache/mcp && npm ci --silent --ignore-scripts --no-audit --no-fund --prefer-offline >/dev/null && touch node_modules/.package-lock.json

vet:
	$(GO) vet ./...

format:
	@out=$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go')); \
	if [ -n "$$out" ]; then echo "not formatted (run gofmt -w):"; echo "$$out"; exit 1; fi

# Types, schemas and the reference are made from the table in protocol/; a test
# fails while they are stale.
generate:
	$(GO) generate ./...

lint:
	$(GO) tool -modfile=tools.mod staticcheck ./...

# Ratios against baselines of the same run; writes docs/benchmarks.md.
bench:
	$(GO) run ./bench

# The crash tests for long.
soak:
	PARLEY_SOAK=$(SOAK) $(GO) test -timeout 2h -count=1 -v -run 'Kill|Crash' ./conformance ./internal/session ./internal/journal/sqlite ./internal/workspace ./internal/settings

fuzz:
	@./scripts/fuzz.sh $(FUZZTIME)

clean:
	rm -rf bin clients/ts/dist clients/ts/node_modules web/node_modules
