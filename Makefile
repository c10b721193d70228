# Everything a fresh machine needs is set up by these targets: Go, git, make and,
# for the TypeScript client, Node 20 or later are enough to begin with.

GO       ?= go
ARGS     ?=
SOAK     ?= 100
FUZZTIME ?= 60s

.PHONY: run build test check race ts generate format vet lint bench soak fuzz clean

# Start the server on the embedded defaults; its address is printed. Options go
# in ARGS: make run ARGS="--listen 127.0.0.1:8000".
run: build
	./bin/parley serve $(ARGS)

build:
	$(GO) build -trimpath -o bin/parley ./cmd/parley

# Everything CI runs.
test: check

check: format vet race ts

# The race detector needs a C compiler; install one if we may.
race:
	@./scripts/cc.sh
	@./scripts/programs.sh
	$(GO) test -race -timeout 15m $$($(GO) list ./... | grep -v /conformance)
	$(GO) test -count=1 -timeout 15m ./conformance # it builds the program itself: a cached result would say nothing

# The TypeScript client: types, build, and tests against the real program. What
# it needs is installed again only when the lock file has changed.
ts: clients/ts/node_modules/.package-lock.json
	cd clients/ts && npm run --silent check && npm run --silent build && npm test --silent

clients/ts/node_modules/.package-lock.json: clients/ts/package-lock.json
	@command -v npm >/dev/null || { echo "the TypeScript client needs Node 20 or later: see https://nodejs.org"; exit 1; }
	cd clients/ts && npm ci --prefer-offline >/dev/null && touch node_modules/.package-lock.json

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
	PARLEY_SOAK=$(SOAK) $(GO) test -timeout 2h -count=1 -v -run 'Kill|Crash' ./conformance ./internal/journal/sqlite

fuzz:
	@./scripts/fuzz.sh $(FUZZTIME)

clean:
	rm -rf bin clients/ts/dist clients/ts/node_modules
